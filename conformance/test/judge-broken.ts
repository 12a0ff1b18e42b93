import {
  type BrokenReceiver,
  faultClasses,
  startPlainReceiver,
} from '@countersign/conformance/broken'
import {
  type PropertyReport,
  type Report,
  runReceiverSuite,
} from '@countersign/conformance/receiver'
import { signing, verifying } from './receiver-targets.ts'

/** Nothing of a broken receiver may take the time that is left to a sound one on a busy machine. */
export const hurried = {
  deadlineMs: 1_500,
  settleMs: 1_000,
  resumeMs: 1_500,
  shrinkMs: 500,
} as const

/**
 * Runs the property that is named for the fault; a machine that was busy gets a second try.
 * `delayMs` is what the receiver takes from its answer to the effect, `runs` as in a run of the suite.
 */
export async function judgeBroken(
  { killedBy, change }: BrokenReceiver,
  { delayMs, runs }: { readonly delayMs?: number; readonly runs?: number } = {},
): Promise<PropertyReport> {
  for (let tries = 1; ; tries++) {
    const running = await startPlainReceiver(verifying, change())
    try {
      const { url, probe } = running
      if (delayMs !== undefined) await probe.setDelay?.(delayMs)
      const only = [killedBy]
      const report = await runReceiverSuite({ ...signing, ...hurried, url, probe, only, runs })
      const [found] = report.properties
      const isJudged = report.unusable === null && report.outOfTime === 0
      if (found !== undefined && (isJudged || tries === 3)) return found
    } finally {
      await running.close()
    }
  }
}

/**
 * Runs the whole suite as it is by default, up to where the property that is named for the fault fails, which is what the
 * whole of it would report too; tells what came of it.
 */
export async function judgeWhole({
  killedBy,
  change,
}: BrokenReceiver): Promise<{ readonly run: Report; readonly named: PropertyReport | undefined }> {
  const running = await startPlainReceiver(verifying, change())
  try {
    const { keys, legacySecret } = signing
    const { url, probe } = running
    const found = new AbortController()
    const run = await runReceiverSuite({
      keys,
      legacySecret,
      url,
      probe,
      signal: found.signal,
      onProgress({ property: { name, verdict } }) {
        if (name === killedBy && verdict === 'failed') found.abort()
      },
    })
    return { run, named: run.properties.find(({ name }) => name === killedBy) }
  } finally {
    await running.close()
  }
}

const leastShare = 0.98

/** Tells each class in a line; those of which less than 98 of 100 were found. */
export function weakClasses(
  tried: readonly BrokenReceiver[],
  found: ReadonlySet<string>,
): readonly string[] {
  return faultClasses.flatMap((group) => {
    const all = tried.filter((one) => one.group === group)
    const missed = all.flatMap(({ name }) => (found.has(name) ? [] : name))
    const told = `${group}: ${all.length - missed.length} of ${all.length} ${missed.join('; ')}`
    console.log(told)
    return all.length - missed.length >= leastShare * all.length ? [] : [told]
  })
}
