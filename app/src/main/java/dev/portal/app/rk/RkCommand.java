package dev.portal.app.rk;

import picocli.CommandLine.Command;

/** {@code portal rk}: what concerns the RK3588 NPU. */
@Command(
        name = "rk",
        description = "RK3588 NPU: programs, products, chains.",
        mixinStandardHelpOptions = true,
        subcommands = {
            EncodeCommand.class,
            DecodeCommand.class,
            CheckCommand.class,
            ExecuteCommand.class,
            MatmulCommand.class,
            ChainCommand.class,
            SoakCommand.class,
            ProbeCommand.class,
            TimingCommand.class
        })
public final class RkCommand {}
