import { signService } from '@countersign/core/signing'
import fc from 'fast-check'
import {
  alertEvent,
  bytesOf,
  challengeEvent,
  reviewEvent,
  serviceSigned,
  withHeaders,
} from '../messages.ts'
import { type Property, property } from '../property.ts'
import { eachOnce, fail } from '../session.ts'
import { settled } from './idempotency.ts'

const header = 'x-service-signature'

const spoilings = {
  'cut short': (text: string, n: number) => text.slice(0, n % text.length),
  'without sha256=': (text: string) => text.slice('sha256='.length),
  'as sha1=': (text: string) => text.replace('sha256=', 'sha1='),
  'with one digit changed': (text: string, n: number) => {
    const at = 'sha256='.length + (n % 64)
    return text.slice(0, at) + (text[at] === '0' ? '1' : '0') + text.slice(at + 1)
  },
  'followed by more': (text: string) => `${text}00`,
  'in base64': (text: string) => Buffer.from(text.slice(7), 'hex').toString('base64'),
} as const
type Spoiling = keyof typeof spoilings

const signature = property({
  name: 'service.signature',
  promise: 'an older event is accepted with its signature, and refused without or with another',
  advice:
    'X-Service-Signature is `sha256=` and the lower-case hex HMAC-SHA-256 of the raw body, keyed with the secret as it was given. Compare the whole of it in constant time.',
  needs: ['service'],
  histories: fc.record({
    how: fc.constantFrom(
      ...(Object.keys(spoilings) as Spoiling[]),
      'body' as const,
      'missing' as const,
      'another secret' as const,
    ),
    n: fc.nat(200),
  }),
  async play(session, { how, n }) {
    const genuine = session.signService(alertEvent())
    const text = String(genuine.headers[header])
    const told = { ...genuine, label: `${genuine.label}, ${how}` }
    const other = serviceSigned(alertEvent(), session.target.keys.strangerService)
    switch (how) {
      case 'body': {
        const body = genuine.body.slice()
        const at = n % body.length
        body[at] = (body[at] ?? 0) ^ 1
        await session.refuse(
          { ...told, body, label: `${genuine.label}, byte ${at} changed` },
          { known: true },
        )
        break
      }
      case 'missing':
        await session.refuse(withHeaders(told, { [header]: undefined }), { known: true })
        break
      case 'another secret':
        await session.refuse({ ...other, label: `${other.label}, ${how}` })
        break
      default: {
        const spoil = spoilings[how] ?? fail(`no spoiling ${how}`)
        await session.refuse(withHeaders(told, { [header]: spoil(text, n) }), { known: true })
      }
    }
    await session.accept(genuine)
  },
})

const rotation = property({
  name: 'service.rotation',
  promise: 'while its secret rotates, an older event is accepted by the secret that is known',
  advice:
    'Check X-Service-Signature, and X-Service-Signature-Next where it is there; the header of the other secret is no reason to refuse.',
  needs: ['service'],
  histories: fc.record({ note: fc.string({ maxLength: 8 }) }),
  async play(session, { note }) {
    const message = session.signService(alertEvent({ note }))
    const next = signService(session.target.keys.strangerService, message.body)
    await session.accept({
      ...withHeaders(message, { 'x-service-signature-next': next }),
      label: `${message.label}, with a new secret’s X-Service-Signature-Next`,
    })
  },
})

const oneEffect = property({
  name: 'service.one-effect',
  promise: 'an older event has one effect, however often it comes',
  advice:
    'De-duplicate on `id` of the body, and keep the ids for good: nothing in this family dates a message, so a capture can be replayed after a year.',
  needs: ['service', 'stored', 'effects'],
  histories: fc.record({ copies: fc.integer({ min: 2, max: 5 }), parallel: fc.boolean() }),
  async play(session, { copies, parallel }) {
    const message = session.signService(alertEvent())
    const send = () => session.accept(message)
    if (parallel) await settled(Array.from({ length: copies }, send))
    else for (let sent = 0; sent < copies; sent++) await send()
    const sentinel = reviewEvent()
    await session.accept(session.sign(sentinel))
    const ids = [message.id, sentinel.id]
    await session.settle({ ids }, eachOnce(ids))
  },
})

const notForReview = property({
  name: 'service.not-for-review',
  promise: 'a review or subscription event is refused under the older signature alone',
  advice:
    'Decide by `type` which signature counts: review.* and subscription.* come in the Standard Webhooks profile only. The older signature has no time in it, and whoever holds that secret could forge decisions.',
  needs: ['service'],
  histories: fc.record({
    kind: fc.constantFrom('review' as const, 'subscription' as const),
    bare: fc.boolean(),
  }),
  async play(session, { kind, bare }) {
    const event = kind === 'review' ? reviewEvent() : challengeEvent('conformance')
    const message = session.signService(event)
    const change = bare ? {} : { 'webhook-id': event.id }
    await session.refuse(withHeaders(message, change))
    const older = alertEvent()
    const body = bytesOf(JSON.stringify(older))
    await session.accept({ ...session.signService(older), body })
  },
})

export const service: readonly Property[] = [signature, rotation, oneEffect, notForReview]
