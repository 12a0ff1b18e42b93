import type { AddressInfo } from 'node:net'
import type { Probe } from '@countersign/conformance/receiver'
import { comparePositions } from '@countersign/core/events'
import express, { type Express, type Request } from 'express'
import { Webhook as StandardWebhook } from 'standardwebhooks'
import { Webhook as SvixWebhook } from 'svix'
import { secret } from './receiver-targets.ts'

type Headers = Record<string, string>
type Body = Readonly<Record<string, unknown>> & { readonly id: string; readonly type: string }

export interface LibraryReceiver {
  readonly url: string
  readonly probe: Probe
  close(): void
}

/** The verifiers, called as the READMEs of the libraries show: the raw body, the headers, an error for a forgery. */
export const verifiers: Readonly<Record<string, (request: Request) => unknown>> = {
  standardwebhooks: (request) =>
    new StandardWebhook(secret.slice('whsec_'.length)).verify(
      request.body,
      request.headers as Headers,
    ),
  // Since version 2 it verifies and returns nothing.
  svix(request) {
    new SvixWebhook(secret).verify(request.body, request.headers as Headers)
    return JSON.parse(request.body.toString())
  },
}

async function listen(app: Express, probe: Probe): Promise<LibraryReceiver> {
  // Express prints the stack of every error; the tests have no use for it.
  app.set('env', 'test')
  const server = app.listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    probe,
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

/** With nothing but the library: what it accepts is acted on, and answered 2xx. */
export function startLibraryReceiver(name: string): Promise<LibraryReceiver> {
  const verify = verifierOf(name)
  const stored: { id: string }[] = []
  const effects = new Map<string, number>()
  const app = express()
  app.post('/', express.raw({ type: 'application/json' }), (request, response) => {
    let event: Body
    try {
      event = verify(request) as Body
    } catch {
      response.status(400).json({})
      return
    }
    stored.push({ id: event.id })
    effects.set(event.id, (effects.get(event.id) ?? 0) + 1)
    response.json({})
  })
  return listen(app, {
    read: async () => ({ stored, effects: [...effects].map(([id, count]) => ({ id, count })) }),
  })
}

/** The same, sound in what the library leaves to its user: copies, order, challenges, bodies. */
export function startSoundLibraryReceiver(name: string): Promise<LibraryReceiver> {
  const verify = verifierOf(name)
  const stored = new Set<string>()
  const effects = new Map<string, number>()
  const heads = new Map<string, Place>()
  const app = express()
  app.post('/', express.raw({ type: '*/*', limit: '1mb' }), (request, response) => {
    let event: Body
    try {
      event = verify(request) as Body
    } catch {
      response.status(400).json({})
      return
    }
    if (typeof event?.id !== 'string' || event.id !== request.headers['webhook-id']) {
      response.status(400).json({})
      return
    }
    const isNew = !stored.has(event.id)
    stored.add(event.id)
    const place = placeOf(event)
    const head = place && heads.get(place.reviewCaseId)
    if (isNew && (!place || !head || comparePositions(place, head) > 0)) {
      if (place) heads.set(place.reviewCaseId, place)
      effects.set(event.id, 1)
    }
    if (event.type === 'subscription.verification_requested')
      response.json({ challenge: event.challenge })
    else response.status(204).end()
  })
  return listen(app, {
    read: async () => ({
      stored: [...stored].map((id) => ({ id })),
      effects: [...effects].map(([id, count]) => ({ id, count })),
      heads: [...heads.values()],
    }),
  })
}

const verifierOf = (name: string): ((request: Request) => unknown) => {
  const verify = verifiers[name]
  if (verify === undefined) throw new Error(`no library ${name}`)
  return verify
}

interface Place {
  readonly reviewCaseId: string
  readonly caseVersion: number
  readonly eventSequence: number
}

function placeOf({ reviewCaseId, caseVersion, eventSequence }: Body): Place | null {
  if (typeof reviewCaseId !== 'string') return null
  if (!Number.isSafeInteger(caseVersion) || !Number.isSafeInteger(eventSequence)) return null
  return {
    reviewCaseId,
    caseVersion: Number(caseVersion),
    eventSequence: Number(eventSequence),
  }
}
