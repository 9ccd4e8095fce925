/** Neural stages on the compute DSP: ONNX files as QNN graphs, and the emulated DSP that runs them on any machine. */
@NullMarked
package dev.portal.app.npu;

import org.jspecify.annotations.NullMarked;
