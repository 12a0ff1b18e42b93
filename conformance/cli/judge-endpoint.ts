import { runAndLeave } from '../receiver/command-probe.ts'
import {
  commandProbe,
  httpProbe,
  junitReport,
  type Probe,
  ProbeError,
  type Property,
  type ReceiverSuiteOptions,
  type Report,
  textReport,
  UsageError,
} from '../receiver/index.ts'
import type { Surroundings } from './command.ts'
import { exitCode } from './exit-code.ts'
import { createProgress } from './progress.ts'
import { type Arguments, commandOf } from './receiver-arguments.ts'
import { writeReport } from './write-report.ts'

/** The exit status of an endpoint that is judged by `run`, which the report tells to repeat as `command`. */
export async function judgeEndpoint(
  args: readonly string[],
  given: Arguments,
  around: Surroundings,
  {
    command,
    run,
  }: {
    readonly command: string
    readonly run: (options: ReceiverSuiteOptions) => Promise<Report>
  },
): Promise<number> {
  if (given.url === undefined) throw new UsageError('expected --url with the receiver’s address')
  const keys = keysOf(given, around)
  const progress = createProgress(around, given.quiet)
  const report = await run({
    ...given,
    url: given.url,
    keys,
    probe: probeOf(given.url, given),
    waitMs: 1000 * (given.wait ?? (given.generated ? 120 : 0)),
    onStart: progress.start,
    onProgress: progress.step,
  }).finally(progress.end)
  if (given.json) around.out(`${JSON.stringify(report, null, 2)}\n`)
  else around.out(textReport(report, { command: commandOf(command, args) }))
  if (given.junit !== undefined) await writeReport(given.junit, junitReport(report))
  return exitCode(report, given)
}

/** A line for each property. */
export const listOf = (properties: readonly Property[]): string =>
  properties
    .map(
      ({ name, level, promise }) =>
        `${name.padEnd(31)} ${promise}${level === 'hardening' ? ' (hardening)' : ''}\n`,
    )
    .join('')

function keysOf({ keys, generated }: Arguments, around: Surroundings): readonly string[] {
  if (generated === null) return keys
  around.err(
    `No key was given. Give the receiver this public key; the suite begins when it accepts a delivery:\n  ${generated.publicKey}\nTo use the same pair again: --private-key ${generated.privateKey}\n`,
  )
  return [generated.privateKey]
}

/** It may come up with the receiver, so that it is opened when that answers. */
function probeOf(address: string, given: Arguments): (() => Promise<Probe>) | undefined {
  const { probe: url, 'probe-command': command, restart } = given
  const open = url ? () => httpProbe(url) : command ? () => commandProbe(command) : undefined
  if (restart === undefined) return open
  if (open === undefined)
    throw new UsageError('--restart expected a probe beside it, which shows what survived')
  return async () => ({
    ...(await open()),
    restart: async () => {
      await runAndLeave(restart)
      await untilAnswers(address, restart)
    },
  })
}

const startMs = 60_000
const betweenMs = 100

/** A command that starts a process mostly ends before that listens. */
async function untilAnswers(address: string, restart: string): Promise<void> {
  const startedAt = performance.now()
  while (!(await answers(address))) {
    if (performance.now() - startedAt > startMs)
      throw new ProbeError(`nothing answered at ${address} within 60 s of \`${restart}\``)
    await new Promise((resolve) => setTimeout(resolve, betweenMs))
  }
}

/** Whether an unsigned POST is answered, with whatever refuses it. */
async function answers(address: string): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(startMs)
    const response = await fetch(address, { method: 'POST', redirect: 'manual', signal })
    await response.body?.cancel()
    return true
  } catch {
    // Nobody listens yet.
    return false
  }
}
