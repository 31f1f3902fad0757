// clang-format off
// Names that other headers make macros of, all of them here as something that does not parse. <windows.h>, Qt, X11,
// termios, sysmacros, math and AssertMacros define them so on some system or other, before a user includes sluice.

// <windows.h>
#define near @near
#define far @far
#define small @small
#define huge @huge
#define hyper @hyper
#define pascal @pascal
#define cdecl @cdecl
#define interface @interface
#define IN @IN
#define OUT @OUT
#define OPTIONAL @OPTIONAL
#define CONST @CONST
#define VOID @VOID
#define STRICT @STRICT
#define ERROR @ERROR
#define NO_ERROR @NO_ERROR
#define DELETE @DELETE
#define CALLBACK @CALLBACK
#define TRANSPARENT @TRANSPARENT
#define OPAQUE @OPAQUE
#define ABSOLUTE @ABSOLUTE
#define RELATIVE @RELATIVE

// Qt
#define slots @slots
#define signals @signals
#define emit @emit
#define forever @forever
#define foreach(variable, container) @foreach

// X11
#define None @None
#define Status @Status
#define Bool @Bool
#define True @True
#define False @False
#define Success @Success
#define Always @Always
#define Above @Above
#define Below @Below
#define Unsorted @Unsorted
#define Expose @Expose

// termios, sysmacros, System V math
#define B0 @B0
#define B50 @B50
#define ECHO @ECHO
#define IXON @IXON
#define NL0 @NL0
#define major(device) @major
#define minor(device) @minor
#undef DOMAIN
#undef OVERFLOW
#undef UNDERFLOW
#define DOMAIN @DOMAIN
#define OVERFLOW @OVERFLOW
#define UNDERFLOW @UNDERFLOW

// AssertMacros.h
#define require(assertion, label) @require
#define require_noerr(code, label) @require_noerr
#define check_noerr(code) @check_noerr
#define verify_noerr(code) @verify_noerr

// These are names of ours all the same: the headers put the macros aside.
#define min(a, b) @min
#define max(a, b) @max
#define check(assertion) @check
#define verify(assertion) @verify
