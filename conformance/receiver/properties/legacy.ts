import { signLegacy } from '@countersign/core/signing'
import { alertEvent, bytesOf, legacySigned, reviewEvent, withHeaders } from '../messages.ts'
import { type Property, property } from '../property.ts'
import { eachOnce, fail } from '../session.ts'
import { allTypes, eventOf } from '../types.ts'
import { settled } from './settled.ts'

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
  name: 'legacy.signature',
  promise: 'a legacy event is accepted with its signature, and refused without or with another',
  advice:
    'X-Service-Signature is `sha256=` and the lower-case hex HMAC-SHA-256 of the raw body, keyed with the secret as it was given. Compare the whole of it in constant time.',
  needs: ['legacy'],
  each: [
    ...(Object.keys(spoilings) as Spoiling[]).map((how) => ({ how, n: 20 })),
    ...[0, 1, 7, 8, 15, 23, 39, 70].map((n) => ({ how: 'cut short' as const, n })),
    ...Array.from({ length: 64 }, (_, n) => ({ how: 'with one digit changed' as const, n })),
    ...[0, 100, -1].map((n) => ({ how: 'body' as const, n })),
    { how: 'missing', n: 0 },
    { how: 'another secret', n: 0 },
  ] as const,
  async play(session, { how, n }) {
    const genuine = session.signLegacy(alertEvent())
    const text = String(genuine.headers[header])
    const told = { ...genuine, label: `${genuine.label}, ${how}` }
    const other = legacySigned(alertEvent(), session.target.keys.strangerLegacy)
    switch (how) {
      case 'body': {
        const body = genuine.body.slice()
        const at = n < 0 ? body.length + n : n % body.length
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
  name: 'legacy.rotation',
  promise: 'while its secret rotates, a legacy event is accepted by the secret that is known',
  advice:
    'Check X-Service-Signature, and X-Service-Signature-Next where it is there; the header of the other secret is no reason to refuse.',
  needs: ['legacy'],
  each: ['', 'é', 'note'].map((note) => ({ note })),
  async play(session, { note }) {
    const message = session.signLegacy(alertEvent({ note }))
    const next = signLegacy(session.target.keys.strangerLegacy, message.body)
    await session.accept({
      ...withHeaders(message, { 'x-service-signature-next': next }),
      label: `${message.label}, with a new secret’s X-Service-Signature-Next`,
    })
  },
})

const oneEffect = property({
  name: 'legacy.one-effect',
  promise: 'a legacy event has one effect, however often it comes',
  advice:
    'De-duplicate on `id` of the body, and keep the ids for good: nothing in this family dates a message, so a capture can be replayed after a year.',
  needs: ['legacy', 'stored', 'effects'],
  each: [2, 3, 9].flatMap((copies) => [false, true].map((parallel) => ({ copies, parallel }))),
  async play(session, { copies, parallel }) {
    const message = session.signLegacy(alertEvent())
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
  name: 'legacy.not-for-review',
  promise: 'a review or subscription event is refused under the legacy signature alone',
  advice:
    'Decide by `type` which signature counts: review.* and subscription.* come in the Standard Webhooks profile only. The legacy signature has no time in it, and whoever holds that secret could forge decisions.',
  needs: ['legacy'],
  each: allTypes
    .filter((type) => /^(review|subscription)\./.test(type))
    .flatMap((type) => [false, true].map((bare) => ({ type, bare }))),
  async play(session, { type, bare }) {
    const event = eventOf(type)
    const message = session.signLegacy(event)
    const change = bare ? {} : { 'webhook-id': event.id }
    await session.refuse(withHeaders(message, change))
    const older = alertEvent()
    const body = bytesOf(JSON.stringify(older))
    await session.accept({ ...session.signLegacy(older), body })
  },
})

export const service: readonly Property[] = [signature, rotation, oneEffect, notForReview]
