package dev.portal.app.hexagon;

import picocli.CommandLine.Command;

/** {@code portal hexagon}: what concerns the Hexagon DSP. */
@Command(
        name = "hexagon",
        description = "Hexagon DSP: graphs through FastRPC, the shell that a board may load.",
        mixinStandardHelpOptions = true,
        subcommands = {RunCommand.class, ReplayCommand.class, VerifyShellCommand.class, SignShellCommand.class})
public final class HexagonCommand {}
