#include "transformer.hpp"

#include <cmath>
#include <stdexcept>

#include "binary_file.hpp"

namespace storyteller {
namespace {

constexpr float norm_epsilon = 1e-5f;
constexpr float rotation_base = 10000;

// The bound on every size in the header keeps the products below far from overflow.
Eigen::Index read_size(binary_file& file, const char* name, std::int32_t most = 1 << 20) {
  const std::int32_t value = file.read_int32();
  if (value < 1 || value > most) {
    file.refuse("is no llama2.c model: " + std::string(name) + " must be in [1, " + std::to_string(most) +
                "], got " + std::to_string(value));
  }
  return value;
}

transformer::shape read_shape(binary_file& file) {
  transformer::shape s;
  s.dim = read_size(file, "dim");
  s.hidden_dim = read_size(file, "hidden_dim");
  s.n_layers = read_size(file, "n_layers", 1 << 10);
  s.n_heads = read_size(file, "n_heads");
  s.n_kv_heads = read_size(file, "n_kv_heads");
  // A negative vocabulary size says that a classifier of its own follows.
  const std::int32_t vocab_size = file.read_int32();
  constexpr std::int32_t most = (1 << 20) - 1;
  if (vocab_size == 0 || vocab_size > most || vocab_size < -most) {
    file.refuse("is no llama2.c model: vocab_size must be in [1, 1048575] or negated, got " +
                std::to_string(vocab_size));
  }
  s.shared_classifier = vocab_size > 0;
  s.vocab_size = std::abs(vocab_size);
  s.seq_len = read_size(file, "seq_len");
  if (s.dim % s.n_heads != 0 || s.head_size() % 2 != 0 || s.n_heads % s.n_kv_heads != 0) {
    file.refuse("is no llama2.c model: dim " + std::to_string(s.dim) + " does not part into " +
                std::to_string(s.n_heads) + " heads of even size over " + std::to_string(s.n_kv_heads) +
                " key heads");
  }
  return s;
}

Eigen::Index count_floats(const transformer::shape& s) {
  const Eigen::Index attention = 2 * s.dim * s.dim + 2 * s.kv_dim() * s.dim;
  const Eigen::Index layer = attention + 3 * s.hidden_dim * s.dim + 2 * s.dim;
  const Eigen::Index rotations = s.seq_len * s.head_size();
  return s.vocab_size * s.dim * (s.shared_classifier ? 1 : 2) + s.n_layers * layer + s.dim + rotations;
}

std::vector<float> read_weights(binary_file& file, const transformer::shape& s) {
  const auto count = static_cast<std::uint64_t>(count_floats(s));
  if (file.left() != count * sizeof(float)) {
    file.refuse("its header asks for " + std::to_string(count * sizeof(float)) +
                " bytes of weights, it has " + std::to_string(file.left()));
  }
  std::vector<float> weights(count);
  file.read_floats(weights);
  return weights;
}

template <class In>
Eigen::VectorXf rms_norm(const In& x, const Eigen::Map<const Eigen::VectorXf>& weight) {
  const float mean_square = x.squaredNorm() / static_cast<float>(x.size());
  return x.cwiseProduct(weight) / std::sqrt(mean_square + norm_epsilon);
}

}  // namespace

transformer::transformer(const std::string& path) {
  binary_file file(path);
  shape_ = read_shape(file);
  weights_ = read_weights(file, shape_);

  const float* next = weights_.data();
  const auto take = [&next](auto& into, Eigen::Index count, Eigen::Index rows, Eigen::Index columns) {
    into.reserve(static_cast<std::size_t>(count));
    for (Eigen::Index i = 0; i < count; ++i, next += rows * columns) into.emplace_back(next, rows, columns);
  };
  const auto take_vectors = [&next](auto& into, Eigen::Index count, Eigen::Index size) {
    into.reserve(static_cast<std::size_t>(count));
    for (Eigen::Index i = 0; i < count; ++i, next += size) into.emplace_back(next, size);
  };
  const shape& s = shape_;
  take(tensors_.embedding, 1, s.vocab_size, s.dim);
  take_vectors(tensors_.attention_norm, s.n_layers, s.dim);
  take(tensors_.wq, s.n_layers, s.dim, s.dim);
  take(tensors_.wk, s.n_layers, s.kv_dim(), s.dim);
  take(tensors_.wv, s.n_layers, s.kv_dim(), s.dim);
  take(tensors_.wo, s.n_layers, s.dim, s.dim);
  take_vectors(tensors_.feed_forward_norm, s.n_layers, s.dim);
  take(tensors_.w1, s.n_layers, s.hidden_dim, s.dim);
  take(tensors_.w2, s.n_layers, s.dim, s.hidden_dim);
  take(tensors_.w3, s.n_layers, s.hidden_dim, s.dim);
  take_vectors(tensors_.final_norm, 1, s.dim);
  next += s.seq_len * s.head_size();  // the rotations, which are computed instead
  if (s.shared_classifier) {
    tensors_.classifier.push_back(tensors_.embedding.front());
  } else {
    take(tensors_.classifier, 1, s.vocab_size, s.dim);
  }

  keys_.resize(static_cast<std::size_t>(s.n_layers));
  values_.resize(static_cast<std::size_t>(s.n_layers));
  mixed_.resize(s.dim);
}

std::span<const float> transformer::forward(token_id token) {
  if (token < 0 || token >= shape_.vocab_size) throw std::out_of_range("no such token");
  if (position_ >= shape_.seq_len) throw std::out_of_range("the context is full");
  state_ = tensors_.embedding.front().row(token);
  for (std::size_t layer = 0; layer < keys_.size(); ++layer) {
    attend(layer);
    feed_forward(layer);
  }
  normed_ = rms_norm(state_, tensors_.final_norm.front());
  logits_.noalias() = tensors_.classifier.front() * normed_;
  ++position_;
  return {logits_.data(), vocab_size()};
}

// What the layers remember of forgotten tokens is written over.
void transformer::rewind(std::size_t tokens) {
  if (tokens > static_cast<std::size_t>(position_)) throw std::out_of_range("no so many tokens");
  position_ -= static_cast<Eigen::Index>(tokens);
}

void transformer::attend(std::size_t layer) {
  const Eigen::Index head_size = shape_.head_size(), kv_dim = shape_.kv_dim();
  const Eigen::Index group = shape_.n_heads / shape_.n_kv_heads;  // query heads that share a key head

  const auto remember = [&](std::vector<float>& memory, const matrix& weight) {
    memory.resize(static_cast<std::size_t>((position_ + 1) * kv_dim));
    float* newest = memory.data() + position_ * kv_dim;
    Eigen::Map<Eigen::VectorXf>(newest, kv_dim).noalias() = weight * normed_;
    return newest;
  };
  normed_ = rms_norm(state_, tensors_.attention_norm[layer]);
  query_.noalias() = tensors_.wq[layer] * normed_;
  rotate(query_.data(), shape_.n_heads);
  rotate(remember(keys_[layer], tensors_.wk[layer]), shape_.n_kv_heads);
  remember(values_[layer], tensors_.wv[layer]);

  const matrix keys(keys_[layer].data(), position_ + 1, kv_dim);
  const matrix values(values_[layer].data(), position_ + 1, kv_dim);
  const float scale = 1 / std::sqrt(static_cast<float>(head_size));
  for (Eigen::Index head = 0; head < shape_.n_heads; ++head) {
    const Eigen::Index from = head / group * head_size;
    const auto query = query_.segment(head * head_size, head_size);
    scores_.noalias() = keys.middleCols(from, head_size) * query * scale;
    scores_ = (scores_.array() - scores_.maxCoeff()).exp();
    scores_ /= scores_.sum();
    mixed_.segment(head * head_size, head_size).noalias() =
        values.middleCols(from, head_size).transpose() * scores_;
  }
  state_.noalias() += tensors_.wo[layer] * mixed_;
}

void transformer::feed_forward(std::size_t layer) {
  normed_ = rms_norm(state_, tensors_.feed_forward_norm[layer]);
  gate_.noalias() = tensors_.w1[layer] * normed_;
  up_.noalias() = tensors_.w3[layer] * normed_;
  gate_.array() *= up_.array() / (1 + (-gate_.array()).exp());  // silu(gate) · up
  state_.noalias() += tensors_.w2[layer] * gate_;
}

// Turns each neighbouring pair of each head by an angle that grows with the position.
void transformer::rotate(float* heads, Eigen::Index count) const {
  const Eigen::Index head_size = shape_.head_size();
  for (Eigen::Index j = 0; j < head_size; j += 2) {
    const float exponent = static_cast<float>(j) / static_cast<float>(head_size);
    const float angle = static_cast<float>(position_) / std::pow(rotation_base, exponent);
    const float c = std::cos(angle), s = std::sin(angle);
    for (Eigen::Index head = 0; head < count; ++head) {
      float* pair = heads + head * head_size + j;
      const float x = pair[0], y = pair[1];
      pair[0] = x * c - y * s;
      pair[1] = x * s + y * c;
    }
  }
}

}  // namespace storyteller
