package dev.portal.app.models;

import java.nio.file.Path;

/** What comes with Portal's sources: never downloaded, so a file that is not as it should be is git's to bring back. */
final class RepositorySource implements PackageSource {
    @Override
    public Path download(PackageRef wanted, Path folder) throws FetchException {
        throw new FetchException(
                FetchException.Kind.UNAVAILABLE,
                wanted.name() + " is not what this version of Portal ships; bring it back with: git checkout -- models/"
                        + wanted.name());
    }

    @Override
    public void unpack(Path archive, Path into) {
        throw new IllegalStateException("nothing was downloaded");
    }
}
