import { readFileSync } from 'node:fs'
import { createServer } from 'node:https'
import { comparePositions, type Position } from '@countersign/core/events'
import type { LocalSetup } from '../../local.ts'

/** A message as its receiver reads it. */
export interface Received extends Position {
  readonly id: string
  readonly type: string
  readonly reviewCaseId: string | null
  readonly decision: string | null
  readonly body: string
}

/** An endpoint that keeps each message that comes, in order, and answers 204. */
export interface Recorder {
  readonly received: readonly Received[]
  close(): void
}

export async function openRecorder(setup: LocalSetup): Promise<Recorder> {
  const received: Received[] = []
  const tls = { key: readFileSync(setup.files.tlsKey), cert: readFileSync(setup.files.tlsCert) }
  const server = createServer(tls, async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const body = Buffer.concat(chunks).toString('utf8')
    const { type, reviewCaseId, caseVersion, eventSequence, decision } = JSON.parse(body)
    received.push({
      id: String(request.headers['webhook-id']),
      type,
      reviewCaseId: reviewCaseId ?? null,
      caseVersion,
      eventSequence,
      decision: decision ?? null,
      body,
    })
    response.writeHead(204).end()
  })
  await new Promise<void>((resolve) => server.listen(setup.ports.receiver, '127.0.0.1', resolve))
  return {
    received,
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}

/** Ids under which two bodies came. */
export function reusedIds(received: readonly Received[]): readonly string[] {
  const bodies = new Map<string, string>()
  const reused = new Set<string>()
  for (const { id, body } of received) {
    if ((bodies.get(id) ?? body) !== body) reused.add(id)
    bodies.set(id, body)
  }
  return [...reused]
}

/** Events of `later`, whose ids are new, that a receiver which had `before` takes for history. */
export function takenForHistory(
  before: readonly Received[],
  later: readonly Received[],
): readonly Received[] {
  const known = new Set(before.map(({ id }) => id))
  const heads = new Map<string, Position>()
  for (const event of eventsOf(before)) {
    const head = heads.get(event.reviewCaseId ?? '')
    if (!head || comparePositions(event, head) > 0) heads.set(event.reviewCaseId ?? '', event)
  }
  return eventsOf(later).filter((event) => {
    const head = heads.get(event.reviewCaseId ?? '')
    return !known.has(event.id) && head && comparePositions(event, head) <= 0
  })
}

const eventsOf = (received: readonly Received[]) =>
  received.filter(({ type, reviewCaseId }) => reviewCaseId !== null && type !== 'review.outcome')
