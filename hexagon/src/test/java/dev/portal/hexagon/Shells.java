package dev.portal.hexagon;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.Signature;
import java.security.interfaces.EdECPublicKey;
import java.util.Optional;

/** Shells that a test's own key vouches for. The file is an ELF header with three program headers and filler. */
final class Shells {
    static final String BUILD = "CDSP.HT.2.5.c3-00134-KODIAK-1";

    final KeyPair keys = newKeys();

    static KeyPair newKeys() {
        try {
            return KeyPairGenerator.getInstance("Ed25519").generateKeyPair();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    /** A shell of {@code bytes}, at least 4096. */
    static byte[] shell(int bytes) {
        byte[] shell = new byte[bytes];
        for (int i = 0; i < bytes; i++) {
            shell[i] = (byte) (i * 31 + (i >> 8));
        }
        ByteBuffer elf = ByteBuffer.wrap(shell).order(ByteOrder.LITTLE_ENDIAN);
        elf.put(0, new byte[] {0x7f, 'E', 'L', 'F', 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0});
        elf.putShort(16, (short) 3)
                .putShort(18, (short) 164)
                .putInt(20, 1)
                .putInt(28, 52)
                .putInt(36, 0x68);
        elf.putShort(40, (short) 52).putShort(42, (short) 32).putShort(44, (short) 3);
        int[] types = {1, 1, 2};
        for (int i = 0; i < types.length; i++) {
            int header = 52 + i * 32;
            elf.putInt(header, types[i]).putInt(header + 4, 1024 * (i + 1)).putInt(header + 16, 512);
        }
        elf.put(2048, BUILD.getBytes(StandardCharsets.UTF_8));
        return shell;
    }

    byte[] publicKey() {
        return Ed25519Keys.encode((EdECPublicKey) keys.getPublic());
    }

    byte[] sign(int domain, byte[] shell) {
        return sign(keys, domain, shell);
    }

    static byte[] sign(KeyPair keys, int domain, byte[] shell) {
        try {
            Signature signature = Signature.getInstance("Ed25519");
            signature.initSign(keys.getPrivate());
            signature.update(
                    ShellVerifier.message(domain, shell.length, ShellVerifier.sha256(MemorySegment.ofArray(shell))));
            return signature.sign();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    ShellPolicy policy(String path, byte[] shell, int owner) {
        return new ShellPolicy(
                FastRpcSession.CDSP_DOMAIN_ID,
                path,
                ShellVerifier.sha256(MemorySegment.ofArray(shell)),
                publicKey(),
                owner,
                Optional.of(BUILD),
                Long.MAX_VALUE);
    }

    /** Puts a good shell where the scripted kernel has files, and says what vouches for it. */
    ShellPolicy install(ScriptedKernel kernel) {
        byte[] shell = shell(8192);
        kernel.files.put("/shell", shell);
        kernel.files.put("/shell.sig", sign(FastRpcSession.CDSP_DOMAIN_ID, shell));
        return policy("/shell", shell, 0);
    }
}
