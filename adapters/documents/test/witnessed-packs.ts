import { chainOf } from './auditor-packs.ts'
import type { packedAgain } from './packs.ts'
import type { Json, Subject } from './tamperings.ts'

type Files = Map<string, Uint8Array>

/** What an issuer makes of an auditor's pack: its files, and the manifest's scope and time. */
export interface Forgery {
  readonly files: Files
  readonly head?: Parameters<typeof packedAgain>[2]
}

/** The lists of an auditor's pack, as they are read. */
export interface AuditorLists {
  readonly batches: readonly Json[]
  readonly cases: readonly Json[]
  readonly events: readonly Json[]
  readonly ledger: readonly Json[]
  /** Without position and hashes. */
  readonly log: readonly Json[]
  readonly manifest: Json & { readonly scope: Json }
  /** Files with other lists, each null for one that is left out. */
  with(changed: Readonly<Record<string, readonly Json[] | null>>): Files
  /** Files with another audit log, chained anew, and where the manifest says that it ends. */
  withLog(files: Files, entries: readonly Json[]): Forgery
}

const linesOf = (items: readonly unknown[]) =>
  Buffer.from(items.map((each) => `${JSON.stringify(each)}\n`).join(''))

/** Reads the lists of an auditor's pack of one application. */
export function listsOf({ files }: Pick<Subject, 'files'>): AuditorLists {
  const textOf = (path: string) => Buffer.from(files.get(path) ?? '').toString()
  const folder = [...files.keys()]
    .find((path) => path.endsWith('/batches.jsonl'))
    ?.replace('batches.jsonl', '')
  const read = (path: string): readonly Json[] =>
    textOf(path)
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Json)
  const own = (name: string) => `${folder}${name}.jsonl`
  const manifest = JSON.parse(textOf('manifest.json')) as AuditorLists['manifest']
  return {
    manifest,
    batches: read(own('batches')),
    cases: read(own('review-cases')),
    events: read(own('review-events')),
    ledger: read('anchors.jsonl'),
    log: read('audit-log.jsonl').map(
      ({ position: _, previousHash: __, hash: ___, ...text }) => text,
    ),
    with(changed) {
      const all = new Map(files)
      for (const [name, items] of Object.entries(changed)) {
        const path = name === 'anchors' ? 'anchors.jsonl' : own(name)
        if (items === null) all.delete(path)
        else all.set(path, linesOf(items))
      }
      return all
    },
    withLog(given, entries) {
      const log = chainOf(entries)
      const { position = 0, hash = null } = log.at(-1) ?? {}
      const scope = { ...manifest.scope, auditLog: { position, hash } }
      return { files: new Map(given).set('audit-log.jsonl', linesOf(log)), head: { scope } }
    },
  }
}

/** A batch whose leaf of the audit log is told as another. */
export function withoutHead(batch: Json): Json {
  const leaves = (batch.leaves as readonly Json[]).map((leaf) =>
    leaf.leafType === 'audit-log'
      ? { sessionId: 'ses_1', revision: 0, leafHash: leaf.leafHash }
      : leaf,
  )
  return { ...batch, leaves }
}

/** Packs without the batch of a decision, which is left out or told as open, whose ledger still has its entry. */
function hiddenBatches(lists: AuditorLists, opened: Json): Readonly<Record<string, Forgery>> {
  const { batches, cases, events, log } = lists
  const isOther = (each: Json) => each.reviewCaseId !== opened.reviewCaseId
  const holds = (batch: Json) => !(batch.leaves as readonly Json[]).every(isOther)
  const left = batches.filter((batch) => !holds(batch))
  const without = {
    batches: left,
    'review-cases': cases.filter(isOther),
    'review-events': events.filter(isOther),
  }
  const first = batches.slice(0, batches.findIndex(holds))
  const heads = first.flatMap(({ leaves }) => leaves as readonly Json[])
  const head = heads.reduce((last, { position }) => Math.max(last, Number(position ?? 0)), 0)
  return {
    'a batch left out, and its decision': { files: lists.with(without) },
    'a batch left out, its decision told as open': {
      files: lists.with({
        batches: left,
        'review-cases': cases.map((each) => (isOther(each) ? each : opened)),
        'review-events': events.filter((each) => isOther(each) || each.step !== 'decided'),
      }),
    },
    'all batches from that of a decision on, and the log behind the head before': lists.withLog(
      lists.with({ ...without, batches: first }),
      log.slice(0, head),
    ),
  }
}

/** Forgeries of an auditor's pack whose members fit together, none of which is witnessed whole by its ledger. */
export function auditorForgeries(lists: AuditorLists): Readonly<Record<string, Forgery>> {
  const { batches, cases, events, log, manifest } = lists
  const at = Date.parse(String(manifest.createdAt))
  const invented = log.slice(0, 7).map((entry, number) => {
    const told = new Date(at - 600_000 + number).toISOString()
    return { ...entry, at: told, actor: 'member:mem_invented' }
  })
  // Behind it is another, whose batch has a later head.
  const decided = cases.find(({ state }) => state === 'decided') ?? {}
  const { reviewCaseId, integrity } = decided
  const isOther = (each: Json) => each.reviewCaseId !== reviewCaseId
  const opened = {
    ...decided,
    ...{ state: 'open', decision: null, decidedBy: null, closedAt: null, reviewer: null },
    ...{ commentDigest: null, reviewerComment: null, nonces: { comment: null, response: null } },
    history: (decided.history as readonly Json[]).filter(({ step }) => step !== 'decided'),
    integrity: {
      ...(integrity as Json),
      ...{ leafInput: null, leafInputStatus: 'not_sealed', leafHash: null },
      ...{ merkle: null, anchor: null },
    },
  }
  const labelled = (label: Json) =>
    batches.map((batch) => ({
      ...batch,
      leaves: (batch.leaves as readonly Json[]).map((leaf) =>
        leaf.reviewCaseId === reviewCaseId ? { ...label, leafHash: leaf.leafHash } : leaf,
      ),
    }))
  const ghost = { leafType: 'review-case', reviewCaseId: 'rc_ghost', sessionId: 'ses_1' }
  const relabelled = labelled(ghost)
  const long = new Date(at - 400 * 86_400_000).toISOString()
  const later = batches.map((batch) => ({
    ...batch,
    ...{ sealedAt: new Date(at + 86_400_000).toISOString(), anchorSequence: null },
  }))
  const anew = lists.withLog(new Map(lists.with({})), invented)
  const bulk = lists.withLog(lists.with({ batches: null }), invented)
  return {
    'a decision told as open, its leaf as that of another case': {
      files: lists.with({
        batches: relabelled,
        'review-cases': cases.map((each) => (isOther(each) ? each : opened)),
        'review-events': events.filter((each) => isOther(each) || each.step !== 'decided'),
      }),
    },
    ...hiddenBatches(lists, opened),
    'a decision told as open, its leaf as that of an impossible revision': {
      files: lists.with({
        batches: labelled({ sessionId: 'ses_1', revision: 0 }),
        'review-cases': cases.map((each) => (isOther(each) ? each : opened)),
        'review-events': events.filter((each) => isOther(each) || each.step !== 'decided'),
      }),
    },
    'a decision told as open, in a batch of now': {
      files: lists.with({
        batches: batches.map((batch) => ({ ...batch, sealedAt: manifest.createdAt })),
        'review-cases': cases.map((each) => (isOther(each) ? each : opened)),
        'review-events': events.filter((each) => isOther(each) || each.step !== 'decided'),
      }),
    },
    'a decision left out, and its steps': {
      files: lists.with({
        'review-cases': cases.filter(isOther),
        'review-events': events.filter(isOther),
      }),
    },
    'a log written anew': anew,
    'a log written anew, told before its batches': {
      ...anew,
      head: { ...anew.head, createdAt: long },
    },
    'a log written anew, before batches of later without an entry': lists.withLog(
      lists.with({ batches: later, anchors: [] }),
      invented,
    ),
    'a log written anew, whose batches hide their heads': lists.withLog(
      lists.with({ batches: batches.map(withoutHead) }),
      invented,
    ),
    'a log written anew, and the genuine one beside it': {
      ...anew,
      files: new Map(anew.files).set(
        'x/audit-log.jsonl',
        lists.with({}).get('audit-log.jsonl') ?? new Uint8Array(),
      ),
    },
    'a log written anew, without batches, of a scope that is no list': {
      ...bulk,
      head: { scope: { ...(bulk.head?.scope as Json), applicationIds: 'x' } },
    },
    'a log written anew, without batches, as a bulk export': {
      ...bulk,
      head: { ...bulk.head, packType: 'bulk' },
    },
  }
}
