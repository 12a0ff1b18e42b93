import { randomBytes } from 'node:crypto'
import type { RequestListener } from 'node:http'
import type { Inbox } from '@countersign/core/ports'
import { formatSharedSecret, keyPairOf } from '@countersign/core/signing'
import {
  brokenReceivers,
  type KitOptions,
  type KitReceiver,
  type RunningReceiver,
  startKitReceiver,
  startPlainReceiver,
} from '../broken/index.ts'
import { type Report, runReceiverSuite } from '../receiver/index.ts'
import { nodePrimitives } from '../receiver/node-primitives.ts'
import type { Surroundings } from './command.ts'
import type { Arguments } from './receiver-arguments.ts'

interface Row {
  readonly receiver: string
  /** The property that must fail, null where all must pass. */
  readonly expected: string | null
  readonly ok: boolean
  readonly failed: readonly string[]
  readonly histories: number
  /** Of the transcript that shows the fault. */
  readonly deliveries: number | null
  readonly seconds: number
}

/** Tries the suite itself: sound receivers must pass it whole, each broken one must fail by the property named for it. */
export async function selfTest(
  { out, err }: Surroundings,
  { json, only, runs, seed }: Pick<Arguments, 'json' | 'only' | 'runs' | 'seed'>,
): Promise<number> {
  const chosen = (name: string) =>
    only === undefined || only.some((one) => name === one || name.startsWith(`${one}.`))
  const secret = formatSharedSecret(randomBytes(32))
  const pair = keyPairOf(randomBytes(32), nodePrimitives)
  const legacySecret = randomBytes(24).toString('base64url')
  const verifying = { verifyKeys: [secret, pair.publicKey], legacySecret }
  const signing = { keys: [secret, pair.privateKey], legacySecret, runs, seed, ...hurried }
  const rows: Row[] = []

  async function tryOn(
    name: string,
    expected: string | null,
    start: () => Promise<RunningReceiver>,
  ): Promise<void> {
    const running = await start()
    try {
      const report = await runReceiverSuite({
        ...signing,
        url: running.url,
        probe: running.probe,
        only: expected === null ? only : [expected],
      })
      const row = rowOf(name, expected, report)
      rows.push(row)
      if (!json) out(`${line(row)}\n`)
    } finally {
      await running.close()
    }
  }

  await tryOn('a plain receiver without fault', null, () => startPlainReceiver(verifying))
  const kit = await loadKit()
  if (kit)
    await tryOn('the receiver kit', null, () =>
      startKitReceiver(verifying, {
        inbox: kit.memoryInbox(),
        createReceiver: kit.createReceiver,
        host: kit.nodeHandler,
      }),
    )
  else err('@countersign/receiver-kit is not installed: not tried\n')
  for (const { name, killedBy, change } of brokenReceivers.filter((one) => chosen(one.killedBy)))
    await tryOn(name, killedBy, () => startPlainReceiver(verifying, change()))

  const wrong = rows.filter(({ ok }) => !ok).length
  if (json) out(`${JSON.stringify({ rows, wrong }, null, 2)}\n`)
  else
    out(
      `${rows.length} receivers, ${wrong === 0 ? 'all as expected' : `${wrong} not as expected`}\n`,
    )
  return wrong === 0 ? 0 : 1
}

/** The receivers are in this process, so that nothing takes as long as it may take a service. */
const hurried = { deadlineMs: 1_500, settleMs: 1_500, resumeMs: 2_500, shrinkMs: 1_000 }

function rowOf(receiver: string, expected: string | null, report: Report): Row {
  const { properties, unusable, histories, seconds } = report
  const failures = properties.filter((one) => one.verdict === 'failed')
  const failed = failures.map(({ name }) => name)
  const ok =
    unusable === null &&
    (expected === null ? report.passed === properties.length : failed.includes(expected))
  const deliveries = failures[0]?.failure.deliveries ?? null
  return { receiver, expected, ok, failed, histories, deliveries, seconds }
}

function line({ receiver, expected, ok, failed, histories, deliveries, seconds }: Row): string {
  const verdict =
    expected === null
      ? `${failed.length === 0 ? 'passes' : `fails ${failed.join(', ')}`}, ${histories} histories`
      : `${failed.length === 0 ? `passes, expected ${expected} to fail` : `fails ${expected} in ${deliveries} ${deliveries === 1 ? 'delivery' : 'deliveries'}`}`
  return `${ok ? '✓' : '✗'} ${receiver.padEnd(60)} ${verdict}, ${seconds.toFixed(1)} s`
}

interface Kit {
  readonly createReceiver: (options: KitOptions) => KitReceiver
  readonly memoryInbox: () => Inbox
  readonly nodeHandler: (receiver: KitReceiver) => RequestListener
}

/** Not by an import of this package, which does not need it: it is tried where it happens to be installed. */
async function loadKit(name = '@countersign/receiver-kit'): Promise<Kit | null> {
  const load = async (specifier: string): Promise<object> => import(specifier)
  try {
    const [kit, node] = await Promise.all([name, `${name}/node`].map(load))
    return { ...kit, ...node } as Kit
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND') return null
    throw error
  }
}
