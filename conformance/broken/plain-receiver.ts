import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { type LegacyKey, legacyKey, loadVerifyKey, type VerifyKey } from '@countersign/core/signing'
import { nodePrimitives } from '../receiver/node-primitives.ts'
import type { Probe } from '../receiver/probe.ts'
import { createDisk, type Disk, sightingOf, turn } from './disk.ts'
import { createListener } from './listener.ts'
import {
  type Answer,
  type Inbound,
  type Message,
  type ReceiverKeys,
  type Steps,
  type Surroundings,
  soundSteps,
} from './steps.ts'

/** A receiver in this process, reached over HTTP. */
export interface RunningReceiver {
  readonly url: string
  readonly probe: Probe
  close(): Promise<void>
}

/** One life of the process: what it had in memory ends with it. */
interface Life {
  alive: boolean
  readonly around: Surroundings
  /** The end of the body that is read last, for whoever reads one at a time. */
  reading: Promise<unknown>
  inFlight: number
}

/** A small receiver without the kit, sound but for the steps that are replaced; every step outlives a restart. */
export async function startPlainReceiver(
  given: ReceiverKeys,
  change: Partial<Steps> = {},
): Promise<RunningReceiver> {
  const steps: Steps = { ...soundSteps, ...change }
  const keys: readonly VerifyKey[] = given.verifyKeys.map((text) =>
    loadVerifyKey(text, nodePrimitives),
  )
  const legacyKeys: readonly LegacyKey[] = [legacyKey(given.legacySecret, nodePrimitives)]
  const disk = createDisk()
  const listener = await createListener(steps)
  let clock: number | null = null
  let delayMs = 0
  let life: Life

  async function start(): Promise<void> {
    const own: Life = {
      alive: true,
      reading: Promise.resolve(),
      inFlight: 0,
      around: {
        keys,
        legacyKeys,
        texts: given,
        disk,
        inFlight: () => own.inFlight,
        memory: new Set(),
        delayMs: () => delayMs,
        alive: () => own.alive,
        now: () => clock ?? Date.now(),
      },
    }
    life = own
    await listener.listen(listenerOf(steps, own, () => delayMs))
    const left = [...disk.events.keys()].filter((id) => !disk.handled.has(id))
    for (const id of steps.resume(left)) {
      const body = disk.events.get(id)
      const message = body === undefined ? null : steps.parse(body)
      if (message !== null) void handle(steps, own, message, id, delayMs)
    }
  }

  async function kill(): Promise<void> {
    life.alive = false
    life.around.memory.clear()
    await listener.kill()
  }

  await start()
  return {
    url: listener.url,
    probe: {
      read: async ({ ids, reviewCaseIds }) => sightingOf(disk, ids, reviewCaseIds),
      async restart() {
        await kill()
        await start()
      },
      async setClock(now) {
        clock = now
      },
      async setDelay(ms) {
        delayMs = ms
      },
      async setStoreFailure(on) {
        disk.failing = on
      },
    },
    close: kill,
  }
}

function listenerOf(steps: Steps, life: Life, delayMs: () => number): RequestListener {
  return (request, response) => {
    life.inFlight += 1
    void serve(steps, life, request, response, delayMs)
      .catch(() => write(response, { status: 500 }))
      .finally(() => {
        life.inFlight -= 1
      })
  }
}

async function serve(
  steps: Steps,
  life: Life,
  request: IncomingMessage,
  response: ServerResponse,
  delayMs: () => number,
): Promise<void> {
  const reading = (steps.readsTogether ? Promise.resolve() : life.reading).then(() =>
    readBody(request, steps.maxBodyBytes),
  )
  life.reading = reading.catch(() => undefined)
  const body = await reading
  if (body === null) return write(response, { status: 413 })
  const inbound: Inbound = {
    method: request.method ?? '',
    search: new URL(request.url ?? '/', 'http://receiver').search,
    headers: request.rawHeaders,
    joined: request.headers as Record<string, string>,
    body,
    version: request.httpVersion,
    trailers: request.rawTrailers,
    connection: request.socket,
  }
  const { around } = life
  const early = await steps.before(inbound, around)
  if (early !== null) return write(response, early)
  const proof = steps.authenticate(inbound, around)
  if (!proof.ok) return write(response, steps.refused())
  const message = steps.parse(body)
  if (message === null) return write(response, steps.unreadable(proof))
  const refusal = steps.admit(message, proof, around)
  if (refusal !== null) return write(response, refusal)

  if (steps.acknowledge === 'before storing')
    write(response, await steps.answer(message, true, around))
  const id = steps.idOf(message, inbound)
  let isNew: boolean
  try {
    isNew = await steps.store(id, body, around)
  } catch {
    return write(response, steps.storeFailed())
  }
  if (!life.alive) return
  const handling =
    isNew || steps.actOnCopies ? () => handle(steps, life, message, id, delayMs()) : async () => {}
  if (steps.acknowledge === 'when handled') await handling()
  write(response, await steps.answer(message, isNew, around))
  if (steps.acknowledge !== 'when handled') await handling()
}

/** Raises the head and acts in one turn, so that no two events of a case cross. */
async function handle(
  steps: Steps,
  life: Life,
  message: Message,
  id: string,
  delayMs: number,
): Promise<void> {
  await turn(delayMs)
  const { disk } = life.around
  if (!life.alive || disk.failing) return
  await steps.carryOut(
    {
      act: () => actOn(steps, life, message),
      mark: () => disk.handled.add(id),
    },
    life.around,
  )
}

function actOn(steps: Steps, { around }: Life, message: Message): void {
  if (!steps.acts(message, around)) return
  const { disk } = around
  const place = steps.placeOf(message)
  const heads = steps.heads(around)
  if (place === null) act(disk, message.id)
  else if (steps.newer(place, heads.get(place.reviewCaseId))) {
    heads.set(place.reviewCaseId, place)
    act(disk, message.id)
  } else if (steps.actOnHistory) act(disk, message.id)
}

function act(disk: Disk, id: string): void {
  disk.effects.set(id, (disk.effects.get(id) ?? 0) + 1)
}

async function readBody(request: IncomingMessage, most: number): Promise<Uint8Array | null> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of request) {
    length += (chunk as Buffer).length
    if (length <= most) chunks.push(chunk as Buffer)
  }
  return length > most ? null : Buffer.concat(chunks)
}

function write(response: ServerResponse, { status, body, page }: Answer): void {
  if (response.headersSent) return
  if (page) response.writeHead(status, { 'content-type': page.type }).end(page.text)
  else if (body === undefined) response.writeHead(status).end()
  else response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
