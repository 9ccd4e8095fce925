/** The language model as a tenant of the arbiter. */
module dev.portal.llm {
    requires static transitive org.jspecify;
    requires transitive dev.portal.base;
    requires transitive dev.portal.scheduler;
    requires dev.portal.rknpu;
    requires tools.jackson.databind;
    // Used where the JVM was started with it; see decoder.Kernels.
    requires static jdk.incubator.vector;

    exports dev.portal.llm;
    exports dev.portal.llm.bridge;
    exports dev.portal.llm.decoder;
    exports dev.portal.llm.gguf;
    exports dev.portal.llm.tokenizer;
}
