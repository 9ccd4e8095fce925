/**
 * A neural stage: named tensors in and out, delivered as a job of the arbiter; and stages on ONNX Runtime.
 *
 * <p>Engines hold {@link dev.portal.voice.stage.ModelStage}s and never know what computes them. {@link
 * dev.portal.voice.stage.OnnxStages} opens models on the CPU and owns the one ONNX Runtime environment of the process;
 * {@link dev.portal.voice.stage.OnnxModel} is a model, {@link dev.portal.voice.stage.OnnxStage} a model as a stage, and
 * {@link dev.portal.voice.stage.OnnxBinding} a model with fixed memory, for the window after window of a detector.
 */
@NullMarked
package dev.portal.voice.stage;

import org.jspecify.annotations.NullMarked;
