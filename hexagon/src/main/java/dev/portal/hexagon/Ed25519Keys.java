package dev.portal.hexagon;

import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PublicKey;
import java.security.interfaces.EdECPublicKey;
import java.security.spec.EdECPoint;
import java.security.spec.EdECPublicKeySpec;
import java.security.spec.NamedParameterSpec;
import java.util.Set;

/**
 * Ed25519 public keys and signatures in their 32 and 64 bytes (RFC 8032), and what is refused of them before anything is
 * verified: keys of small order, which vouch for any message, and signatures whose S is not reduced, which would be second
 * signatures of the same message.
 */
public final class Ed25519Keys {
    private static final String ALGORITHM = "Ed25519";
    private static final int KEY_BYTES = 32;
    private static final BigInteger P = BigInteger.ONE.shiftLeft(255).subtract(BigInteger.valueOf(19));

    /** The order of the base point. */
    private static final BigInteger L =
            BigInteger.ONE.shiftLeft(252).add(new BigInteger("27742317777372353535851937790883648493"));

    /** The y of a point of order 8; the other is its negative. */
    private static final BigInteger ORDER_8 =
            new BigInteger("7a03ac9277fdc74ec6cc392cfa53202a0f67100d760b3cba4fd84d3d706a17c7", 16);

    /** The y coordinates of all eight points whose order divides 8. */
    private static final Set<BigInteger> SMALL_ORDER =
            Set.of(BigInteger.ZERO, BigInteger.ONE, P.subtract(BigInteger.ONE), ORDER_8, P.subtract(ORDER_8));

    private Ed25519Keys() {}

    /** Whether the key's point has an order that divides 8, in whatever encoding. */
    static boolean hasSmallOrder(byte[] key) {
        return SMALL_ORDER.contains(y(key).mod(P));
    }

    /** Whether the second half of a signature is below the order of the base point. */
    static boolean isCanonical(byte[] signature) {
        byte[] s = new byte[KEY_BYTES];
        for (int i = 0; i < KEY_BYTES; i++) {
            s[KEY_BYTES - 1 - i] = signature[KEY_BYTES + i];
        }
        return new BigInteger(1, s).compareTo(L) < 0;
    }

    private static BigInteger y(byte[] key) {
        byte[] bigEndian = new byte[KEY_BYTES];
        for (int i = 0; i < KEY_BYTES; i++) {
            bigEndian[KEY_BYTES - 1 - i] = key[i];
        }
        bigEndian[0] &= 0x7f;
        return new BigInteger(1, bigEndian);
    }

    /** The key of 32 bytes as Java knows it. */
    static PublicKey publicKey(byte[] key) throws GeneralSecurityException {
        boolean xOdd = (key[KEY_BYTES - 1] & 0x80) != 0;
        return KeyFactory.getInstance(ALGORITHM)
                .generatePublic(new EdECPublicKeySpec(NamedParameterSpec.ED25519, new EdECPoint(xOdd, y(key))));
    }

    /** The 32 bytes of a key. */
    public static byte[] encode(EdECPublicKey key) {
        byte[] bigEndian = key.getPoint().getY().toByteArray();
        byte[] encoded = new byte[KEY_BYTES];
        for (int i = 0; i < Math.min(KEY_BYTES, bigEndian.length); i++) {
            encoded[i] = bigEndian[bigEndian.length - 1 - i];
        }
        if (key.getPoint().isXOdd()) {
            encoded[KEY_BYTES - 1] |= (byte) 0x80;
        }
        return encoded;
    }
}
