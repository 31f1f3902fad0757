# Eigen is found without a version and judged here: the packages of 3.4 and 5 refuse each other's ranges.
if(TARGET Eigen3::Eigen)
  set(SLUICE_EIGEN_FOUND TRUE)
else()
  find_package(Eigen3 CONFIG QUIET)
  set(SLUICE_EIGEN_FOUND ${Eigen3_FOUND})
  if(Eigen3_FOUND AND Eigen3_VERSION VERSION_LESS 3.4)
    message(FATAL_ERROR
      "sluice needs Eigen 3.4 or newer, found ${Eigen3_VERSION} in ${Eigen3_DIR}. "
      "Set Eigen3_DIR to the package of a newer one.")
  endif()
endif()
