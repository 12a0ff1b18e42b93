import { SigningKeyError } from '@countersign/core/signing'
import { ProbeError, UsageError } from '../receiver/index.ts'
import type { Command } from './command.ts'

/** A command that tells wrong arguments and a broken probe by exit status 2. */
export const tellingWrong =
  (name: string, command: Command): Command =>
  async (args, around) => {
    try {
      return await command(args, around)
    } catch (error) {
      const isUsage = error instanceof UsageError || error instanceof SigningKeyError
      if (!isUsage && !(error instanceof ProbeError)) throw error
      const help = isUsage ? `\nTry countersign-conformance ${name} --help` : ''
      around.err(`${error.message}${help}\n`)
      return 2
    }
  }
