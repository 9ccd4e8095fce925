/**
 * A transducer recognizer (Zipformer and its like) in sherpa-onnx's file layout, as three stages of the arbiter.
 *
 * <pre>
 * samples ─► Fbank: 80 log mel energies every 10 ms
 *              ─► encoder (STT_ENCODER), a chunk at a time with its state, or a whole utterance
 *                   ─► joiner (STT_JOINER) for each frame ─► the best token, blank for none
 *                        ▲ decoder (STT_DECODER), once for each token: the last few tokens
 * </pre>
 *
 * <p>A model folder has {@code encoder*.onnx}, {@code decoder*.onnx}, {@code joiner*.onnx} and {@code tokens.txt}. Facts
 * about the layout are sherpa-onnx's (k2-fsa/sherpa-onnx, {@code csrc/online-zipformer*-transducer-model.cc}, {@code
 * offline-transducer-model.cc}, {@code features.cc}):
 *
 * <ul>
 *   <li>streaming encoder: the first input is the features [N, T, 80], each other input is a state that starts as zeros
 *       and is replaced by the output in the same place; metadata {@code T} frames go in, {@code decode_chunk_len} is
 *       how far to move on; {@code num_encoder_layers} fixes the number of states (7 a stack for {@code zipformer}, 6 a
 *       layer and 2 more for {@code zipformer2})
 *   <li>encoder for whole utterances: {@code x} [N, T, 80] and {@code x_lens} [N] to {@code encoder_out} and its lengths
 *   <li>decoder: {@code y} [N, context_size] to {@code decoder_out}; metadata {@code context_size}, {@code vocab_size}
 *   <li>joiner: {@code encoder_out} [N, D] and {@code decoder_out} [N, D] to {@code logit} [N, vocab_size]
 *   <li>token 0 is the blank; a token that begins with U+2581 begins a word
 * </ul>
 */
@NullMarked
package dev.portal.voice.stt.transducer;

import org.jspecify.annotations.NullMarked;
