import { SigningKeyError } from '@countersign/core/signing'
import { run } from '../receiver/command-probe.ts'
import {
  commandProbe,
  httpProbe,
  junitReport,
  type Probe,
  ProbeError,
  properties,
  runReceiverSuite,
  textReport,
  UsageError,
} from '../receiver/index.ts'
import type { Command, Surroundings } from './command.ts'
import { createProgress } from './progress.ts'
import { type Arguments, commandOf, help, readArguments } from './receiver-arguments.ts'
import { selfTest } from './self-test.ts'
import { writeReport } from './write-report.ts'

/** `countersign-conformance receiver`. */
export const receiver: Command = async (args, around) => {
  try {
    return await judge(args, around)
  } catch (error) {
    if (error instanceof UsageError || error instanceof SigningKeyError) {
      around.err(`${error.message}\nTry countersign-conformance receiver --help\n`)
      return 2
    }
    if (error instanceof ProbeError) {
      around.err(`${error.message}\n`)
      return 2
    }
    throw error
  }
}

async function judge(args: readonly string[], around: Surroundings): Promise<number> {
  const given = readArguments(args, around.env)
  if (given.help) {
    around.out(help)
    return 0
  }
  if (given.list) {
    for (const { name, promise } of properties) around.out(`${name.padEnd(31)} ${promise}\n`)
    return 0
  }
  if (given['self-test']) return selfTest(around, given)
  if (given.url === undefined) throw new UsageError('expected --url with the receiver’s address')

  const keys = keysOf(given, around)
  const progress = createProgress(around, given.quiet)
  const report = await runReceiverSuite({
    ...given,
    url: given.url,
    keys,
    probe: probeOf(given),
    waitMs: 1000 * (given.wait ?? (given.generated ? 120 : 0)),
    onProgress: progress.step,
  }).finally(progress.end)
  if (given.json) around.out(`${JSON.stringify(report, null, 2)}\n`)
  else around.out(textReport(report, { command: commandOf(args) }))
  if (given.junit !== undefined) await writeReport(given.junit, junitReport(report))
  return report.failed > 0 ? 1 : 0
}

function keysOf({ keys, generated }: Arguments, around: Surroundings): readonly string[] {
  if (generated === null) return keys
  around.err(
    `No key was given. Give the receiver this public key; the suite begins when it accepts a delivery:\n  ${generated.publicKey}\nTo use the same pair again: --private-key ${generated.privateKey}\n`,
  )
  return [generated.privateKey]
}

/** It may come up with the receiver, so that it is opened when that answers. */
function probeOf(given: Arguments): (() => Promise<Probe>) | undefined {
  const { probe: url, 'probe-command': command, restart } = given
  const open = url ? () => httpProbe(url) : command ? () => commandProbe(command) : undefined
  if (restart === undefined) return open
  if (open === undefined)
    throw new UsageError('--restart expected a probe beside it, which shows what survived')
  return async () => ({
    ...(await open()),
    restart: async () => {
      await run(restart, {})
    },
  })
}
