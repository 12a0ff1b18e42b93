import assert from 'node:assert/strict'
import { plainSealer } from '@countersign/core/testing'
import fc from 'fast-check'
import { erasingIn, hiddenTexts, marksOf, type TextPlace } from '../../../content/erasure-marks.ts'
import { bundlePath } from '../../../content/payload-records.ts'
import {
  type SessionKey,
  type StoredSession,
  type StoredStep,
  sessions,
  steps,
} from '../../../content/records.ts'
import { openedTexts } from '../../../kernel/sealing/sealed-texts.ts'
import { sessionAnnotations } from '../../../policies/sessions/records.ts'
import {
  type ErasureRequest,
  erasureRequests,
  legalHolds,
} from '../../../removal/erasure/records.ts'
import { reviewCases } from '../../../review/records.ts'
import { type Faults, type Ingested, ingestedWorld } from './ingested.ts'
import { day, hour, readable } from './world.ts'

const people = ['grace', 'alan', 'kurt'] as const
type Person = (typeof people)[number]

/** What applications, members and the service do. */
export type Act =
  | {
      readonly do: 'span'
      readonly session: number | null
      readonly trace: number
      readonly subject: Person | null
      readonly at: number
    }
  | {
      readonly do: 'submit'
      readonly subject: Person | null
      readonly steps: readonly (Person | null)[]
      /** Under the id of one that is gone, if there is one: its texts would be taken for those of before. */
      readonly again?: true
    }
  | { readonly do: 'case' | 'note'; readonly of: number; readonly whole: boolean }
  | { readonly do: 'erase' | 'hold'; readonly subject: Person }
  | { readonly do: 'release' }
  /** The service works until it has committed so often, and dies. */
  | { readonly do: 'work'; readonly commits: number }
  /** All grows so old that it is to go; the look that finds it so dies after so many commits. */
  | { readonly do: 'age'; readonly commits: number }

const person = fc.constantFrom(...people)
const maybe = fc.option(person, { freq: 2 })

const acts: fc.Arbitrary<readonly Act[]> = fc.array(
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        do: fc.constant('span' as const),
        session: fc.option(fc.nat(2), { freq: 2 }),
        trace: fc.nat(3),
        subject: maybe,
        at: fc.nat(9),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        do: fc.constant('submit' as const),
        subject: maybe,
        steps: fc.array(maybe, { minLength: 1, maxLength: 3 }),
      }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        do: fc.constantFrom('case' as const, 'note' as const),
        of: fc.nat(20),
        whole: fc.boolean(),
      }),
    },
    { weight: 3, arbitrary: fc.record({ do: fc.constant('erase' as const), subject: person }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('hold' as const), subject: person }) },
    { weight: 1, arbitrary: fc.constant<Act>({ do: 'release' }) },
    {
      weight: 6,
      arbitrary: fc.record({ do: fc.constant('work' as const), commits: fc.nat(14) }),
    },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('age' as const), commits: fc.nat(8) }) },
  ),
  { minLength: 4, maxLength: 24 },
)

/** What is done, and what the service's processes draw their ids from: all that a world depends on. */
export interface History {
  readonly seed: number
  readonly acts: readonly Act[]
}

export const histories: fc.Arbitrary<History> = fc.record({ seed: fc.nat(), acts })

/** A text somewhere in the store. */
interface Place {
  /** Whose it is: that of the step that it is in or about, else its session's. */
  readonly owner: string | null
  /** Whom its step or its text names, and whom it is sealed for. */
  readonly named: ReadonlySet<string>
  /** Everyone who has a part in it: these and the owner. */
  readonly parties: ReadonlySet<string>
  readonly readable: boolean
  /** Its bytes are there, whoever may read them. */
  readonly kept: boolean
  readonly removing: boolean
}

interface Look {
  readonly places: ReadonlyMap<string, Place>
  /** Subjects with an active hold. */
  readonly held: ReadonlySet<string>
  /** Subjects whose erasure has begun and not ended. */
  readonly begun: ReadonlySet<string>
  readonly requests: ReadonlyMap<string, ErasureRequest>
}

/** All texts that were given, where they are and whose; by rows that ingest wrote, and by what opens. */
async function look(w: Ingested): Promise<Look> {
  const lines = await readable(w.process, w.tenantId, { asShown: true })
  const [marked] = await w.process.ledger.read(w.tenantId, [marksOf(w.tenantId)])
  const hiddenOf = <T extends TextPlace>(rows: readonly T[]) =>
    hiddenTexts(
      { read: (reads) => w.process.ledger.read(w.tenantId, reads) },
      erasingIn(marked),
      rows,
    )
  const keyOf = ({ applicationId, sessionId }: Pick<SessionKey, 'applicationId' | 'sessionId'>) =>
    `${applicationId} ${sessionId}`
  const bySession = new Map(w.store.rows(sessions).map(({ row }) => [keyOf(row), row]))
  const allSteps = w.store.rows(steps).map(({ row }) => row)
  const places = new Map<string, Place>()
  const put = (
    name: string,
    of: { readonly session: StoredSession | undefined; readonly step: StoredStep | undefined },
    isReadable: boolean,
    others: readonly (string | null)[] = [],
  ) => {
    const named = new Set([of.step?.dataSubjectId, ...others].flatMap((each) => each ?? []))
    const owner = of.step?.dataSubjectId ?? of.session?.dataSubjectId ?? null
    places.set(name, {
      owner,
      parties: new Set([...named, ...(owner === null ? [] : [owner])]),
      named,
      readable: isReadable,
      kept: isReadable || of.step?.payloadStatus === 'readable',
      removing: of.session?.removing === true,
    })
  }
  for (const step of allSteps) {
    const line = `${step.sessionId} ${step.stepId} input: `
    put(
      `step ${step.stepId} of ${step.scope}`,
      { session: bySession.get(keyOf(step)), step },
      lines.some((each) => each.startsWith(line)),
      step.payloads.map(({ subject }) => (subject.startsWith('sub_') ? subject : null)),
    )
  }
  for (const session of bySession.values()) {
    if (session.origin !== 'submission') continue
    const named = allSteps.filter((step) => keyOf(step) === keyOf(session))
    put(
      `text of ${session.sessionId}`,
      { session, step: undefined },
      lines.some((each) => each.startsWith(`${session.sessionId} - submission: `)),
      named.map(({ dataSubjectId }) => dataSubjectId),
    )
  }
  // A span's step is of one scope wherever it moves, and may not have arrived where what is about it is.
  const stepOf = (row: SessionKey & { readonly stepId: string | null }) =>
    allSteps.find(
      (step) => step.stepId === row.stepId && (step.scope === '' || keyOf(step) === keyOf(row)),
    )
  const cases = w.store
    .rows(reviewCases)
    .map(({ row }) => openedTexts(reviewCases, plainSealer(), row))
  const hiddenCases = await hiddenOf(cases)
  for (const row of cases)
    put(
      `case ${row.reviewCaseId}`,
      { session: bySession.get(keyOf(row)), step: stepOf(row) },
      row.presentation !== null && !hiddenCases.has(row),
    )
  const notes = w.store.rows(sessionAnnotations).map(({ row }) => row)
  const hiddenNotes = await hiddenOf(notes)
  for (const row of notes)
    put(
      `note ${row.annotationId}`,
      { session: bySession.get(keyOf(row)), step: stepOf(row) },
      row.text !== null && !hiddenNotes.has(row),
    )
  const requests = w.store.rows(erasureRequests).map(({ row }) => row)
  return {
    places,
    held: new Set(
      w.store.rows(legalHolds).flatMap(({ row }) => (row.active ? row.dataSubjectId : [])),
    ),
    begun: new Set(
      requests.flatMap((row) => (row.underWay && row.begunAt !== null ? row.dataSubjectId : [])),
    ),
    requests: new Map(requests.map((row) => [row.erasureRequestId, row])),
  }
}

async function play(w: Ingested, act: Act): Promise<void> {
  switch (act.do) {
    case 'span': {
      const { session, trace, subject, at } = act
      const sessionId = session === null ? null : `session-${session}`
      await w.send({ sessionId, trace: trace + 1, subject, at, text: `text ${trace} ${at}` })
      return
    }
    case 'submit': {
      const given = act.steps.map((subject, at) => ({
        text: at % 2 === 0 ? `text ${at}` : null,
        subject,
      }))
      const known = w.store.rows(sessions).length
      const sessionId = `submitted-${act.again ? known : `${known}-${w.clock.now()}`}`
      await w.submit({ sessionId, subject: act.subject, steps: given, metadata: 'about it' })
      return
    }
    case 'case':
    case 'note': {
      const all = w.store.rows(steps).map(({ row }) => row)
      const step = all[act.of % Math.max(1, all.length)]
      if (!step) return
      const stepId = act.whole ? null : step.stepId
      if (act.do === 'case') await w.closedCase(step.sessionId, stepId, 'a case')
      else await w.annotate(step.sessionId, stepId, 'a note')
      return
    }
    case 'erase':
      await w.erase(act.subject)
      return
    case 'hold':
      await w.hold(act.subject)
      return
    case 'release': {
      const held = w.store.rows(legalHolds).find(({ row }) => row.active === 1)
      if (held)
        await w.service.legalHolds.release(w.admin, { holdId: held.row.holdId, reason: 'settled' })
      return
    }
    case 'work':
      w.clock.jump(61_000)
      await w.work(act.commits)
      return
    case 'age':
      w.clock.jump(8 * day)
      // A look goes by the clock of the one before as well.
      for (let looks = 0; looks < 2; looks++) {
        await w.work()
        w.clock.jump(hour + 1)
      }
      await w.work(act.commits)
  }
}

/** Whatever comes in whatever order: what is erased is gone, and nothing else is. */
export async function holdsFor({ seed, acts: given }: History, faults?: Faults): Promise<void> {
  const w = await ingestedWorld(faults, seed)
  const ranges = new Map<string, readonly { readonly offset: number; readonly length: number }[]>()
  /** All who ever had a part in a place, and whose data was ever to be erased. */
  const parties = new Map<string, Set<string>>()
  const everErased = new Set<string>()
  /** Places of a subject when their erasure began. */
  const atBeginning = new Map<string, ReadonlySet<string>>()
  let aged = false
  let before = await look(w)

  async function step(act: Act | null): Promise<void> {
    if (act) await play(w, act)
    else await w.rest()
    aged ||= act?.do === 'age'
    const now = await look(w)
    for (const [name, place] of now.places) {
      const known = parties.get(name) ?? new Set()
      for (const each of place.parties) known.add(each)
      parties.set(name, known)
    }
    for (const { row } of [...w.store.rows(steps), ...w.store.rows(sessions)])
      for (const { bundleId, offset, length } of row.payloads) {
        const path = bundlePath({ ...row, bundleId })
        const others = ranges.get(path) ?? []
        if (length > 0 && !others.some((each) => each.offset === offset))
          ranges.set(path, [...others, { offset, length }])
      }
    keptUnderHold(before, now)
    for (const [id, request] of now.requests) {
      const was = before.requests.get(id)
      const { dataSubjectId } = request
      if (request.begunAt !== null && (was?.begunAt ?? null) === null) {
        everErased.add(dataSubjectId)
        const theirs = [...before.places].filter(([, { owner }]) => owner === dataSubjectId)
        atBeginning.set(id, new Set(theirs.map(([name]) => name)))
      }
      if (request.begunAt === null || was?.status === 'completed') continue
      for (const name of atBeginning.get(id) ?? []) {
        const place = now.places.get(name)
        assert.ok(
          !place?.readable || place.owner !== dataSubjectId,
          `${name} is readable, and the erasure of its subject is ${request.status}`,
        )
      }
    }
    before = now
  }

  function keptUnderHold(was: Look, now: Look): void {
    for (const [name, place] of was.places) {
      if (!place.readable || place.removing) continue
      const after = now.places.get(name)
      const holders = [...place.parties].filter((each) => was.held.has(each) && now.held.has(each))
      // A part in it is kept by a hold that is older than the erasure of another part; not that of an owner who was
      // taken for it until an earlier step came.
      const parts = holders.filter(
        (each) => place.named.has(each) || !after || after.owner === each,
      )
      // Whose session it is in now may be somebody whose erasure hides it, and waits for the hold.
      const isHidden = after?.owner && after.kept && now.begun.has(after.owner)
      if (parts.length > 0 && ![...place.parties].some((each) => was.begun.has(each)))
        assert.ok(after?.readable || isHidden, `${name} is gone, and ${holders.join()} held`)
    }
  }

  for (const act of given) await step(act)
  for (let time = 0; time < 3; time++) await step(null)

  for (const [name, place] of before.places) {
    const touched = [...(parties.get(name) ?? [])].some((each) => everErased.has(each))
    assert.ok(
      place.readable || touched || isEmpty(name),
      `${name} is gone, and nobody asked for it`,
    )
  }
  if (!aged)
    for (const name of parties.keys()) assert.ok(before.places.has(name), `${name} is not there`)
  for (const { row } of w.store.rows(steps)) {
    if (row.payloadStatus === 'none') continue
    const place = before.places.get(`step ${row.stepId} of ${row.scope}`)
    const isTold = row.payloadStatus === 'readable'
    const what = `${row.stepId} is ${row.payloadStatus}`
    // An erasure that a hold keeps from its end hides what came after it began, whose rows it has not reached.
    const isHidden = [...(place?.parties ?? [])].some((each) => before.begun.has(each))
    if (!(isTold && isHidden)) assert.equal(isTold, place?.readable, what)
  }
  const live = new Set(
    [...w.store.rows(steps), ...w.store.rows(sessions)].flatMap(({ row }) =>
      row.payloads.flatMap(({ bundleId, offset, length }) =>
        length > 0 ? `${bundlePath({ ...row, bundleId })} ${offset}` : [],
      ),
    ),
  )
  for (const [path, inBundle] of ranges)
    for (const { offset, length } of inBundle) {
      const bytes = w.blobs
        .objects()
        .get(path)
        ?.subarray(offset, offset + length)
      const isZero = bytes?.every((byte) => byte === 0) ?? true
      assert.equal(isZero, !live.has(`${path} ${offset}`), `${path} at ${offset}`)
    }
  for (const request of before.requests.values())
    assert.ok(
      request.status === 'completed' || request.status === 'blocked_by_hold',
      `an erasure is ${request.status} in the end`,
    )

  function isEmpty(name: string): boolean {
    return w.store
      .rows(steps)
      .some(({ row }) => name === `step ${row.stepId} of ${row.scope}` && row.payloads.length === 0)
  }
}
