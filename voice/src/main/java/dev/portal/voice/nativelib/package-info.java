/**
 * The only native code of {@code voice} beside ONNX Runtime: bindings to pocketsphinx and flite.
 *
 * <p>Each C function has one static-final handle that takes the function's address as its first argument, so that a
 * binding is an ordinary object made from loaded libraries and nothing static depends on a path. Structs are read at
 * offsets that a test compares with the C compiler's, where there is one.
 */
@NullMarked
package dev.portal.voice.nativelib;

import org.jspecify.annotations.NullMarked;
