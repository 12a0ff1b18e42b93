import { createHash } from 'node:crypto'
import { collections } from '@countersign/core'
import type { Collection } from '@countersign/core/ports'
import { plainSealer, provisionKey } from '@countersign/core/testing'
import { canonicalize } from '../../../base/canonical/canonicalize.ts'
import type { NormalSpan } from '../../../content/span.ts'
import { openedTexts } from '../../../kernel/sealing/sealed-texts.ts'
import type { SessionPart } from '../../../removal/erasure/deps.ts'
import { createErasure } from '../../../removal/erasure/erase.ts'
import { erasureAtWork } from '../../../removal/erasure/rehoming.ts'
import { createSessionRetention } from '../../../removal/erasure/retention.ts'
import { rowsOfSessions } from '../../../removal/erasure/session-rows.ts'
import { createCompletion } from '../../../sessions/completion.ts'
import { createRehoming, type RehomingDeps } from '../../../sessions/rehome.ts'
import type { SubmittedSession } from '../../../sessions/submission/submitted.ts'
import { span, spanOf, traceOf } from '../../sessions/world.ts'
import { Killed, mortalPorts } from './mortal.ts'
import {
  memoryPorts,
  openCase,
  organization,
  type Ports,
  type Process,
  processOn,
  readable,
  start,
  value,
} from './world.ts'

const all = collections as readonly unknown[] as readonly Collection[]

/** What is wrong with the processes that do the service's work. */
export interface Faults {
  readonly ports?: (ports: Ports) => Ports
  readonly parts?: readonly SessionPart[]
  readonly erasureAtWork?: RehomingDeps['erasureAtWork']
}

/** What the service does of itself about sessions of a person. */
function runnerOf(process: Process, faults: Faults = {}) {
  const rows = rowsOfSessions(all, ['sessions', 'bundles'])
  return process.runnerOf([
    createErasure(process.deps),
    createSessionRetention(process.deps, rows),
    createRehoming({ ...process.deps, erasureAtWork, ...faults }),
    createCompletion(),
  ])
}

/** An organization whose application sends spans and submissions, as applications do. */
export async function ingestedWorld(faults: Faults = {}, seed?: number) {
  const ports = memoryPorts(seed)
  const process = processOn(ports)
  const acme = await organization(process.service)
  const { tenantId, first, admin, application } = acme
  const { service } = process
  const { key } = await provisionKey(service, { tenantId, applicationId: first })
  let sent = 0
  let submitted = 0
  let closed = 0

  /** Sends a step of a session; its input is `text`. */
  async function send(given: {
    readonly sessionId: string | null
    readonly text: string
    readonly subject?: string | null
    readonly at?: number
    readonly trace?: number
  }) {
    sent++
    const one: NormalSpan = span({
      traceId: traceOf(given.trace ?? 100_000 + sent),
      spanId: spanOf(sent),
      sessionId: given.sessionId,
      dataSubjectId: given.subject ?? null,
      startedAt: start + (given.at ?? 0),
      endedAt: start + (given.at ?? 0) + 1,
      input: given.text,
    })
    const done = await service.ingest.acceptSpans(key, { spans: [one], rejected: {} })
    return { stepId: `${one.traceId}-${one.spanId}`, accepted: value(done).accepted === 1 }
  }

  /** Submits one session of these steps; each one's input is its text. */
  async function submit(given: {
    readonly sessionId: string
    readonly subject?: string | null
    readonly metadata?: string
    readonly steps: readonly { readonly text: string | null; readonly subject?: string | null }[]
  }) {
    const at = new Date(start).toISOString()
    const session: SubmittedSession = {
      sessionId: given.sessionId,
      startedAt: at,
      endedAt: new Date(start + given.steps.length).toISOString(),
      status: 'completed',
      dataSubjectId: given.subject ?? null,
      ...(given.metadata === undefined ? {} : { metadata: { about: given.metadata } }),
      steps: given.steps.map(({ text, subject = null }, number) => ({
        stepId: `step-${number}`,
        type: 'llm',
        name: 'think',
        startedAt: new Date(start + number).toISOString(),
        endedAt: new Date(start + number).toISOString(),
        status: 'ok',
        dataSubjectId: subject,
        ...(text === null ? {} : { input: text }),
      })),
    }
    const leaf = createHash('sha256').update(Buffer.of(0)).update(canonicalize(session), 'utf8')
    return service.ingest.submit(key, {
      batchId: `batch-${++submitted}`,
      merkleRoot: leaf.digest('hex'),
      sessions: [session],
    })
  }

  /** A case that is closed at once, with `text` in its presentation. */
  async function closedCase(sessionId: string, stepId: string | null, text: string) {
    const opened = await openCase(service, application, sessionId, {
      ...(stepId === null ? {} : { stepId }),
      checkpointId: `checkpoint-${++closed}`,
      presentation: { text },
    })
    await service.reviewCases.cancel(application, {
      reviewCaseId: opened.reviewCaseId,
      reasonCategory: 'end_user_cancelled',
    })
  }

  const annotate = (sessionId: string, stepId: string | null, text: string) =>
    service.annotations.create(admin, { sessionId, text, ...(stepId === null ? {} : { stepId }) })

  const erase = async (dataSubjectId: string) => {
    const asked = { dataSubjectId, reason: 'objection', confirm: true } as const
    return service.erasureRequests.create(admin, asked)
  }

  const hold = (dataSubjectId: string) =>
    service.legalHolds.place(admin, { dataSubjectId, matter: 'Case 12' })

  /** All that can be read: content that opens, and what rows say in clear text. */
  async function everything(): Promise<string> {
    const rows = all.flatMap((each) =>
      ports.store.rows(each).map(({ row }) => openedTexts(each, plainSealer(), row)),
    )
    return [...(await readable(process, tenantId)), JSON.stringify(rows)].join('\n')
  }

  /** Does what is due, in a process that dies after so many commits, where a number is given. */
  async function work(commits: number = Number.POSITIVE_INFINITY): Promise<boolean> {
    const faulty = faults.ports?.(ports) ?? ports
    const mortal = processOn(mortalPorts(faulty, { commits }), faults.parts)
    try {
      await runnerOf(mortal, faults).tick()
      return true
    } catch (error) {
      if (!(error instanceof Killed)) throw error
      return false
    }
  }

  /** Does what is due in a process, whose writes of blobs each wait for something else first. */
  async function workMeeting(meanwhile: () => Promise<void>): Promise<void> {
    const { blobs } = ports
    const put: typeof blobs.put = async (objects) => {
      await meanwhile()
      return blobs.put(objects)
    }
    await runnerOf(processOn({ ...ports, blobs: { ...blobs, put } })).tick()
  }

  return {
    ...{ ...ports, ...acme, process, service, key },
    ...{ send, submit, closedCase, annotate, erase, hold, everything, work, workMeeting },
    /** Does what is due until nothing is, by processes that live. */
    async rest() {
      for (let time = 0; time < 4; time++) {
        ports.clock.jump(61_000)
        await work()
      }
    },
  }
}

export type Ingested = Awaited<ReturnType<typeof ingestedWorld>>
