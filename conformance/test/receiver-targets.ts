import type { RequestListener } from 'node:http'
import { type ReceiverKeys, startKitReceiver } from '@countersign/conformance/broken'
import { formatSharedSecret, keyPairOf, portablePrimitives } from '@countersign/core/signing'
import { createReceiver, memoryInbox, type Receiver } from '@countersign/receiver-kit'
import { expressHandler } from '@countersign/receiver-kit/express'
import { koaMiddleware } from '@countersign/receiver-kit/koa'
import express from 'express'
import Koa from 'koa'

export const secret: string = formatSharedSecret(new Uint8Array(32).fill(1))
const pair = keyPairOf(new Uint8Array(32).fill(2), portablePrimitives)
const legacySecret = 'the secret of the legacy family'

/** What the receivers verify with. */
export const verifying: ReceiverKeys = { verifyKeys: [secret, pair.publicKey], legacySecret }

/** What the suite signs with; half of the deadline of a service is ample on loopback. */
export const signing = {
  keys: [secret, pair.privateKey],
  legacySecret,
  deadlineMs: 5_000,
} as const

/** The kit on a memory inbox, bound to a framework. */
export function startKit(host: (receiver: Receiver) => RequestListener) {
  return startKitReceiver(verifying, { inbox: memoryInbox(), createReceiver, host })
}

export const hosts: Readonly<Record<string, (receiver: Receiver) => RequestListener>> = {
  Koa: (receiver) => {
    const app = new Koa()
    // It prints each connection that the suite cuts.
    app.silent = true
    app.use(koaMiddleware(receiver))
    return app.callback()
  },
  Express: (receiver) => express().all('/', expressHandler(receiver)),
  // Its router answers OPTIONS by itself with 200, and every other method with 404.
  'Express by POST': (receiver) => express().post('/', expressHandler(receiver)),
}
