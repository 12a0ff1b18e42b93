import { unwrap } from '@countersign/core'
import { seededRandom } from '@countersign/core/testing'
import { beginHistory, type History } from './genuine-histories.ts'
import { bytesOf, fileOf } from './packs.ts'
import { filesOf } from './tamper-property.ts'

/** What the service gives out at a moment. */
export interface Moment {
  /** What happened before it. */
  readonly name: string
  /** Files of its exports, by what each is. */
  readonly exports: ReadonlyMap<string, string>
  /** Files that can be held, by what they are of. */
  readonly holds: ReadonlyMap<string, readonly string[]>
  /** When each session began, ISO 8601. */
  readonly beginnings: ReadonlyMap<string, string>
  /** Sessions that the list of batches has leaves of, removed ones too, and when each leaf was sealed, ISO 8601. */
  readonly seals: readonly (readonly [sessionId: string, sealedAt: string])[]
}

/** A certificate of this session. */
export const certificateOf = (sessionId: string): string => `certificate of ${sessionId}`

const listed = /(?:batches|review-cases|anchors|audit-log)\.jsonl$/

async function momentOf({ world }: History, name: string): Promise<Moment> {
  const { service, actor, applicationIds, taken } = world
  const { evidencePackages: packages, evidence } = service
  const exports = new Map<string, string>()
  const holds = new Map<string, readonly string[]>()
  const beginnings = new Map<string, string>()
  const auditor = await taken(packages.exportAuditor(actor, { applicationIds }))
  const bulk = await taken(packages.exportBulk(actor, { applicationIds }))
  for (const [name, pack] of Object.entries({ auditor, bulk }))
    exports.set(name, fileOf(pack, `${name}.zip`))
  const subject = await packages.exportSubject(actor, { dataSubjectId: 'user-1' })
  if (subject.ok) exports.set('subject', fileOf(await bytesOf(subject.value.pieces), 'subject.zip'))
  const lists = [...(await filesOf(auditor))].filter(
    ([path, bytes]) => listed.test(path) && bytes.length > 0,
  )
  const seals = lists
    .filter(([path]) => path.endsWith('batches.jsonl'))
    .flatMap(([, bytes]) => sealsIn(Buffer.from(bytes).toString()))
  const files = lists.map(([path, bytes]) => fileOf(bytes, path.replace(/.*\//, '')))
  holds.set('lists', files)
  for (const file of files) holds.set(file.replace(/.*-(?=\w)/, ''), [file])
  for (const [path, bytes] of await filesOf(bulk)) {
    if (!path.endsWith('evidence.json')) continue
    const { session } = JSON.parse(Buffer.from(bytes).toString()) as {
      readonly session: { readonly sessionId: string; readonly startedAt: string }
    }
    const { sessionId, startedAt } = session
    beginnings.set(sessionId, startedAt)
    const file = fileOf(bytes, 'evidence.json')
    exports.set(`evidence of ${sessionId}`, file)
    holds.set(`evidence of ${sessionId}`, [file])
    const certified = await evidence.certificate(actor, { sessionId })
    if (!certified.ok) continue
    const certificate = fileOf(JSON.stringify(unwrap(certified)), 'certificate.json')
    exports.set(certificateOf(sessionId), certificate)
    holds.set(certificateOf(sessionId), [certificate])
  }
  return { name, exports, holds, beginnings, seals }
}

interface Batch {
  readonly sealedAt: string
  readonly leaves: readonly { readonly sessionId?: string; readonly revision?: number }[]
}

function sealsIn(batches: string): Moment['seals'] {
  const lines = batches.split('\n').filter((line) => line !== '')
  return lines.flatMap((line) => {
    const { sealedAt, leaves } = JSON.parse(line) as Batch
    return leaves.flatMap(({ sessionId, revision }) =>
      sessionId !== undefined && revision !== undefined ? [[sessionId, sealedAt] as const] : [],
    )
  })
}

/** Plays a history of this seed; answers so many moments, in each of which what can happen is dealt, and the keys at its end. */
export async function momentsOf(
  number: number,
  steps: number,
): Promise<{ readonly moments: readonly Moment[]; readonly keys: string }> {
  const random = seededRandom(number)
  const history = await beginHistory(random)
  const moments: Moment[] = []
  let left: (readonly [string, () => Promise<unknown>])[] = []
  for (let at = 0; at < steps; at++) {
    const before: string[] = []
    for (let acts = 1 + random.below(3); acts > 0; acts--) {
      if (left.length === 0) left = Object.entries(history.acts)
      for (const [name, act] of left.splice(random.below(left.length), 1)) {
        await act()
        before.push(name)
      }
    }
    await history.pass([1_000, 20_000, 120_000, 2_400_000, 7_200_000][random.below(5)] ?? 0)
    moments.push(await momentOf(history, `${at}: ${before.join(', ')}`))
  }
  const { service, actor } = history.world
  const { tenantId } = actor
  const keys = fileOf(
    JSON.stringify(unwrap(await service.evidenceKeys.read({ tenantId }))),
    'keys.json',
  )
  await service.drain(0)
  return { moments, keys }
}
