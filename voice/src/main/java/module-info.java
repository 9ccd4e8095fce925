/** VAD, STT, TTS, speech arbitration, turns and the Voice facade. */
module dev.portal.voice {
    requires static transitive org.jspecify;
    requires transitive dev.portal.base;
    requires transitive dev.portal.scheduler;
    requires transitive dev.portal.llm;
    requires com.microsoft.onnxruntime;
    requires tools.jackson.databind;
    requires freetts;
    requires java.desktop;

    exports dev.portal.voice;
    exports dev.portal.voice.arbitration;
    exports dev.portal.voice.audio;
    exports dev.portal.voice.intent;
    exports dev.portal.voice.engine;
    exports dev.portal.voice.nativelib;
    exports dev.portal.voice.stage;
    exports dev.portal.voice.stt;
    exports dev.portal.voice.stt.grammar;
    exports dev.portal.voice.stt.pocketsphinx;
    exports dev.portal.voice.stt.transducer;
    exports dev.portal.voice.tts;
    exports dev.portal.voice.turn;
    exports dev.portal.voice.vad;
}
