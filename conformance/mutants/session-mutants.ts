import type { ChangeSet, Read, Store } from '@countersign/core/ports'
import { retentionOf } from './case-mutants.ts'
import type { Mutant } from './mutant.ts'

/** A way to the store on which each commit is changed. */
export function committing(change: (set: ChangeSet) => ChangeSet): (store: Store) => Store {
  return (store) => ({ ...store, commit: (set) => store.commit(change(set)) })
}

/** Sets that write a collection leave out another one's rows. */
export function without(left: string, beside: string): (store: Store) => Store {
  return committing((set) =>
    (set.puts ?? []).some((put) => put.in === beside)
      ? { ...set, puts: (set.puts ?? []).filter((put) => put.in !== left) }
      : set,
  )
}

/** A store that finds nothing where it is asked for these. */
function blindTo(isHidden: (read: Read) => boolean): (store: Store) => Store {
  return (store) => ({
    ...store,
    async read(tenant, reads) {
      const found = await store.read(tenant, reads)
      return found.map((each, at) => {
        const read = reads[at]
        return read && isHidden(read) ? { ...each, rows: [], total: 0 } : each
      })
    },
  })
}

/** Sessions whose steps, seals or erasure are lost, doubled or wrong. */
export const sessionMutants: readonly Mutant[] = [
  {
    name: 'a span that is counted, and not stored',
    property: 'sums are of the steps',
    of: 'sessions',
    port: committing((set) => {
      const last = (set.puts ?? []).findLastIndex((put) => put.in === 'steps' && put.was === null)
      return { ...set, puts: (set.puts ?? []).filter((_, at) => at !== last) }
    }),
  },
  {
    name: 'tokens that nobody counts',
    property: 'sums are of the steps',
    of: 'sessions',
    parts: {
      'sessions/session-state': {
        withSteps:
          ({ withSteps }) =>
          (session, joining) => {
            const joined = withSteps(session, joining)
            const { inputTokens } = session.tally
            return { ...joined, tally: { ...joined.tally, inputTokens } }
          },
      },
    },
  },
  {
    name: 'steps that change as they move',
    property: 'steps are kept',
    of: 'sessions',
    port: committing((set) => ({
      ...set,
      puts: (set.puts ?? []).map((put) =>
        put.in === 'steps' && put.was ? { ...put, row: { ...put.row, name: 'moved' } } : put,
      ),
    })),
  },
  {
    name: 'complete while spans still come',
    property: 'one completion',
    of: 'sessions',
    parts: {
      'sessions/session-state': {
        completeAt:
          () =>
          ({ lastReceivedAt }) =>
            lastReceivedAt,
      },
    },
  },
  {
    name: 'a flag of another session',
    property: 'a change and its events',
    of: 'sessions',
    parts: {
      'policies/events': {
        legacyEvent:
          ({ legacyEvent }) =>
          (head, type, data) =>
            legacyEvent(head, type, { ...data, flagId: 'flag_another' }),
      },
    },
  },
  {
    name: 'content of another step',
    property: 'content reads back',
    of: 'sessions',
    parts: {
      'sessions/payloads': {
        createBundle:
          ({ createBundle }) =>
          (...given) => {
            const bundle = createBundle(...given)
            return {
              ...bundle,
              add: (subject, stepId, contents) => {
                const fields = Object.keys(contents) as (keyof typeof contents)[]
                const others = fields.map((field) => [
                  field,
                  contents[field] === null ? null : 'another',
                ])
                return bundle.add(subject, stepId, Object.fromEntries(others))
              },
            }
          },
      },
    },
  },
  {
    name: 'a seal over no steps',
    property: 'seals prove',
    of: 'sessions',
    parts: {
      'sessions/seal/record': {
        leafWithPauses:
          ({ leafWithPauses }) =>
          (record, pause) =>
            leafWithPauses({ ...record, steps: [] }, pause),
      },
    },
  },
  {
    name: 'a record of a case without its decision',
    property: 'seals prove',
    parts: {
      'review/case-record': {
        caseRecordOf:
          ({ caseRecordOf }) =>
          (review) => {
            const record = caseRecordOf(review)
            return record && { ...record, decision: null }
          },
      },
    },
  },
  {
    name: 'a case that ends without a seal',
    property: 'every session has an end',
    parts: { 'review/case-record': { caseRecordOf: () => () => null } },
  },
  {
    name: 'a root of other leaves',
    property: 'seals prove',
    of: 'sessions',
    parts: {
      'sessions/seal/new-batch': {
        newBatch:
          ({ newBatch }) =>
          (...given) => ({ ...newBatch(...given), merkleRoot: '0'.repeat(64) }),
      },
    },
  },
  {
    name: 'a session twice in its batch',
    property: 'sealed once',
    of: 'sessions',
    parts: {
      'sessions/seal/new-batch': {
        newBatch:
          ({ newBatch }) =>
          (unit, given) =>
            newBatch(unit, { ...given, leaves: [...given.leaves, ...given.leaves.slice(0, 1)] }),
      },
    },
  },
  {
    name: 'anchors of another hash',
    property: 'anchors are a chain',
    of: 'sessions',
    parts: {
      'proof/commitment': {
        anchorHashOf:
          ({ anchorHashOf }) =>
          () =>
            anchorHashOf({}),
      },
    },
  },
  {
    name: 'completed, and never sealed',
    property: 'every session has an end',
    of: 'sessions',
    parts: {
      'sessions/work-kinds': { sealAfter: () => () => ({ puts: [], checks: [] }) },
    },
  },
  {
    name: 'an erasure that keeps the keys',
    property: 'erased stays erased',
    of: 'sessions',
    port: committing((set) => ({
      ...set,
      removes: (set.removes ?? []).filter((remove) => remove.in !== 'subjectKeys'),
    })),
  },
  {
    name: 'an erasure that leaves the blobs',
    property: 'erased stays erased',
    of: 'sessions',
    parts: {
      'removal/erasure/blank': {
        blankPayloads: () => async () => ({ isDone: true, puts: [], removes: [] }),
      },
    },
  },
  {
    name: 'an erasure that leaves what was written',
    property: 'erased stays erased',
    of: 'sessions',
    parts: { 'removal/erasure/session-texts': { sessionTexts: () => [] } },
  },
  {
    name: 'an erasure in spite of a hold',
    property: 'held stays',
    of: 'sessions',
    parts: {
      'removal/erasure/hold-board': {
        holdOn:
          ({ holdOn }) =>
          (...given) => ({ ...holdOn(...given), held: false }),
      },
    },
  },
  {
    name: 'retention in spite of a hold',
    property: 'held stays',
    of: 'sessions',
    port: blindTo((read) => 'list' in read && read.list === 'legalHolds' && read.by === 'byActive'),
  },
  {
    name: 'a session gone too soon',
    property: 'kept for its time',
    of: 'sessions',
    parts: { 'kernel/callers/plans': retentionOf(1 / 1_000) },
  },
  {
    name: 'retention that leaves the steps',
    property: 'every session has an end',
    of: 'sessions',
    parts: {
      'removal/erasure/session-rows': {
        rowsOfSessions:
          ({ rowsOfSessions }) =>
          (collections, except) =>
            rowsOfSessions(collections, [...except, 'steps']),
      },
    },
  },
  {
    name: 'retention that looks away',
    property: 'comes to rest',
    of: 'sessions',
    port: blindTo(
      (read) => 'list' in read && read.list === 'sessions' && read.by === 'byCompletion',
    ),
  },
]
