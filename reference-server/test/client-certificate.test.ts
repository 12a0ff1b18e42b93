import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { it } from 'node:test'
import { ApiError, createClient } from '@countersign/client'
import { ensureLocalCa } from '@countersign/node/local-ca'
import { ownPorts } from './own-ports.ts'
import { scratchDirectory } from './processes/scratch.ts'

const apiKey = 'svc_app_0123456789abcdef0123456789abcdef0123456789ab'
const asked = {
  sessionId: 'ses_1',
  checkpointId: 'before-payment',
  reasonCategory: 'high_risk_action',
  presentation: { action: 'pay' },
} as const

it('a request to a host of an unknown authority ends at once, and says what to do', async () => {
  const authority = await ensureLocalCa(scratchDirectory(), { now: Date.now() })
  const { key, cert } = await authority.certFor(['127.0.0.1'])
  const server = createServer({ key, cert }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  try {
    const client = createClient({ ingestUrl: `https://127.0.0.1:${port}`, apiKey })
    await assert.rejects(client.reviewCases.request(asked), (error) => {
      assert.ok(error instanceof ApiError)
      assert.equal(error.code, 'no_answer')
      assert.match(
        error.message,
        /(?:SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_VERIFY_LEAF_SIGNATURE).*NODE_EXTRA_CA_CERTS/s,
      )
      return true
    })
  } finally {
    server.close()
    server.closeAllConnections()
  }
})

it('a request to a port where nobody listens reports that it waits', async () => {
  const [port = 0] = await ownPorts(1)
  const client = createClient({ ingestUrl: `http://127.0.0.1:${port}`, apiKey })
  const left = new AbortController()
  const errors: ApiError[] = []
  const reason = new Error('the user left')
  const onWaiting = (error: ApiError) => {
    errors.push(error)
    left.abort(reason)
  }
  const request = client.reviewCases.request(asked, { signal: left.signal, onWaiting })
  await assert.rejects(request, reason)
  assert.match(errors[0]?.message ?? '', /ECONNREFUSED/)
  assert.equal(reason.cause, errors[0])
})
