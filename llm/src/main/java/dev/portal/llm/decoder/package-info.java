/**
 * Llama-family decoding in the JVM: weights of a GGUF file, linear layers on the processor or on the NPU, the KV cache,
 * sampling, and all of it as a model that can be interrupted between two tokens or two pieces of a prompt.
 *
 * <p>Shapes are row-major. A batch of activations is {@code [tokens, width]}; a matrix is {@code [outputs, inputs]}, one
 * row an output, as GGUF stores it. The value for one output and one token is summed in the same order whatever the
 * batch, so reading a prompt in pieces gives the same bits as reading it whole.
 *
 * <p>Two formats of weights: <em>native</em>, as the file has them, and <em>I8</em>, one scale an output and one scale a
 * token, which every device computes to the same bits.
 */
@NullMarked
package dev.portal.llm.decoder;

import org.jspecify.annotations.NullMarked;
