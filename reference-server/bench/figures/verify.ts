import {
  verify as bare,
  createHmac,
  createPublicKey,
  generateKeyPairSync,
  randomBytes,
} from 'node:crypto'
import {
  formatPublicKey,
  loadSigningKey,
  loadVerifyKey,
  sign,
  type VerifyKey,
  verify,
} from '@countersign/core/signing'
import { nativePrimitives } from '@countersign/node/crypto'
import { Webhook } from 'standardwebhooks'
import Stripe from 'stripe'
import { sampleBody } from '../ceiling.ts'
import { type Bench, inTurn, type Measure, perSecond, rowOf } from '../figure.ts'

const id = 'evt_01hxyzabcdefghijklmnopqrst'
/** Unix seconds; taken when a figure begins, for the tolerance is five minutes. */
const seconds = () => Math.floor(Date.now() / 1_000)

/** Calls a second; both sides of a ratio take turns within each round. */
function speed(calls: number, call: () => unknown): number {
  const start = performance.now()
  for (let at = 0; at < calls; at++) call()
  return perSecond(calls, start)
}

async function compare(bench: Bench, calls: number, ours: () => unknown, theirs: () => unknown) {
  speed(calls, ours)
  speed(calls, theirs)
  return inTurn(bench.scale.rounds * 2, async () => {
    const before = speed(calls, theirs)
    const own = speed(calls, ours)
    const other = (before + speed(calls, theirs)) / 2
    return { figure: own / other, oursPerSecond: own, theirsPerSecond: other }
  })
}

const headersWith = (timestamp: number, signature: string) => ({
  'content-type': 'application/json',
  'user-agent': 'countersign',
  'webhook-id': id,
  'webhook-timestamp': String(timestamp),
  'webhook-signature': signature,
})

function kit(headers: Readonly<Record<string, string>>, key: VerifyKey) {
  const keys = [key]
  return () => {
    const verified = verify({ headers, body: sampleBody, keys, now: Date.now() })
    if (!verified.ok) throw new Error(verified.detail)
  }
}

const secret = `whsec_${randomBytes(32).toString('base64')}`

function sharedSecret() {
  const signing = loadSigningKey(secret, nativePrimitives)
  const timestamp = seconds()
  const headers = headersWith(timestamp, sign({ id, timestamp, body: sampleBody, keys: [signing] }))
  return { headers, ours: kit(headers, loadVerifyKey(secret, nativePrimitives)) }
}

async function standard(bench: Bench) {
  const { headers, ours } = sharedSecret()
  const webhook = new Webhook(secret)
  const theirs = () => webhook.verify(sampleBody, headers)
  return rowOf(
    {
      figure: 'verify.v1.ratio',
      target: { is: 'least', reach: 3, aim: 5 },
      how: 'kit verify on node:crypto ÷ standardwebhooks verify, calls a second on the same body; theirs parses the JSON too',
    },
    await compare(bench, 4_000, ours, theirs),
  )
}

async function stripe(bench: Bench) {
  const { ours } = sharedSecret()
  const { webhooks } = new Stripe('sk_test_bench')
  const timestamp = seconds()
  const mac = createHmac('sha256', 'whsec_bench').update(`${timestamp}.${sampleBody}`).digest('hex')
  const header = `t=${timestamp},v1=${mac}`
  const theirs = () => webhooks.constructEvent(sampleBody, header, 'whsec_bench')
  return rowOf(
    {
      figure: 'verify.stripeRatio',
      target: { is: 'least', reach: 1.5, aim: 2.5 },
      how: 'kit verify on node:crypto ÷ stripe constructEvent, calls a second on the same body; theirs parses the JSON too',
    },
    await compare(bench, 4_000, ours, theirs),
  )
}

async function asymmetric(bench: Bench) {
  const pair = generateKeyPairSync('ed25519')
  const seed = pair.privateKey.export({ type: 'pkcs8', format: 'der' }).subarray(-32)
  const raw = pair.publicKey.export({ type: 'spki', format: 'der' }).subarray(-32)
  const signer = nativePrimitives.ed25519Signer(seed)
  const key = { scheme: 'v1a', sign: signer, publicKey: raw } as const
  const timestamp = seconds()
  const headers = headersWith(timestamp, sign({ id, timestamp, body: sampleBody, keys: [key] }))
  const ours = kit(headers, loadVerifyKey(formatPublicKey(raw), nativePrimitives))
  const message = Buffer.concat([Buffer.from(`${id}.${timestamp}.`), sampleBody])
  const signature = Buffer.from(headers['webhook-signature'].slice('v1a,'.length), 'base64')
  const publicKey = createPublicKey(pair.publicKey.export({ type: 'spki', format: 'pem' }))
  const theirs = () => {
    if (!bare(null, message, publicKey, signature)) throw new Error('the signature is wrong')
  }
  return rowOf(
    {
      figure: 'verify.v1a.ratio',
      target: { is: 'least', reach: 0.9, aim: 0.97 },
      how: 'kit verify on node:crypto ÷ bare crypto.verify of a message put together before',
    },
    await compare(bench, 1_000, ours, theirs),
  )
}

export const verifying: Measure = {
  figures: ['verify.v1.ratio', 'verify.stripeRatio', 'verify.v1a.ratio'],
  run: async (bench) => [await standard(bench), await stripe(bench), await asymmetric(bench)],
}
