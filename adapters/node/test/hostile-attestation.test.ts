import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mock, test } from 'node:test'
import {
  createSoftwareAuthenticator,
  type PackedStatement,
} from '@countersign/conformance/authenticator'
import { authenticators } from '@countersign/node'
import { certify, pemOf } from './attestation-authority.ts'

const model = '2fc0579f-8113-47ea-b116-bb5a8db9202a'
const place = { rpId: 'portal.example', origin: 'https://portal.example' }
const expected = { rpId: place.rpId, origins: [place.origin], now: Date.UTC(2026, 10, 21) }

/**
 * An `android-key` attestation under a root of its maker's own, which verifies but for Google's: its certificates name
 * http://127.0.0.1:9/latest/meta-data/leaf and http://127.0.0.1:9/root.crl for their lists of revoked ones.
 */
const androidKey = {
  id: 'BwcHBwcHBwcHBwcHBwcHBw',
  response: {
    clientDataJSON: [
      'eyJ0eXBlIjoid2ViYXV0aG4uY3JlYXRlIiwiY2hhbGxlbmdlIjoiQUFBQSIsIm9yaWdpbiI6Imh0dHBzOi8vcG9ydGFsLmV4',
      'YW1wbGUiLCJjcm9zc09yaWdpbiI6ZmFsc2V9',
    ].join(''),
    attestationObject: [
      'o2NmbXRrYW5kcm9pZC1rZXlnYXR0U3RtdKNjYWxnJmNzaWdYRzBFAiEAnH7eZK9trU88e4vaShv97w_9YH0Avr5znVHLMhe7',
      'JxwCIB75QQ8MvavQwZRscLxcvQS_W8DdPMyIpJpTTSn5bS2wY3g1Y4JZAZgwggGUMIIBOqADAgECAgECMAoGCCqGSM49BAMC',
      'MA8xDTALBgNVBAMTBGV2aWwwIBcNMjAwMTAxMDAwMDAwWhgPMjA1MDAxMDEwMDAwMDBaMA8xDTALBgNVBAMTBGxlYWYwWTAT',
      'BgcqhkjOPQIBBggqhkjOPQMBBwNCAASVTgxIikV1HhIAgi9LeTjYZckeQCu792nvHAxxcNdWA8b7B_VAMi7yWxQLg-NEGNVs',
      'Y72q9RcrSOlV64u7KiTlo4GEMIGBMEQGCisGAQQB1nkCAREENjA0AgEDCgEBAgEECgEBBCCyhFym-2xTRwQ8XfbFq9RLraf8',
      'PbHdD3kyMmXCoTeBJgQAMAAwADA5BgNVHR8EMjAwMC6gLKAqhihodHRwOi8vMTI3LjAuMC4xOjkvbGF0ZXN0L21ldGEtZGF0',
      'YS9sZWFmMAoGCCqGSM49BAMCA0gAMEUCIQDn8ZbF9pEzvSGxdIO31WLkP4UWVAehqd6HW74udmmciQIgE7xI2Dcv_qmpkqfd',
      'UX6JDVVAA2GFWhK4KnunSzRMvBFZAVMwggFPMIH2oAMCAQICAQEwCgYIKoZIzj0EAwIwDzENMAsGA1UEAxMEZXZpbDAgFw0y',
      'MDAxMDEwMDAwMDBaGA8yMDUwMDEwMTAwMDAwMFowDzENMAsGA1UEAxMEZXZpbDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IA',
      'BA2_h0taYVUwwiNtfk21LqljsNjVei273XzZEQeSauKHadMcwE_vkz01nL6QwMcYaDDEXvWu_MqHx9mtEVcrKMCjQTA_MA8G',
      'A1UdEwEB_wQFMAMBAf8wLAYDVR0fBCUwIzAhoB-gHYYbaHR0cDovLzEyNy4wLjAuMTo5L3Jvb3QuY3JsMAoGCCqGSM49BAMC',
      'A0gAMEUCIQDrhzdPP_r0MAgVfYzdTsaXGJsZ_omeEwebDVsJiMLeRwIgTiwN7y-Fs3OFNS6freM_8j3QSW9pM99SDEuaEiwW',
      '1NRoYXV0aERhdGFYlEFu9tux6bkp3JdIGX9MPI_7PHhpwCtTA6tBPNGskvomRQAAAAAAAAAAAAAAAAAAAAAAAAAAABAHBwcH',
      'BwcHBwcHBwcHBwcHpQECAyYgASFYIJVODEiKRXUeEgCCL0t5ONhlyR5AK7v3ae8cDHFw11YDIlggxvsH9UAyLvJbFAuD40QY',
      '1Wxjvar1FytI6VXri7sqJOU',
    ].join(''),
  },
}

test('an attestation with addresses of its own is refused, and nothing is asked of them', async () => {
  const fetched: unknown[] = []
  const fetching = mock.method(globalThis, 'fetch', async (asked: unknown) => {
    fetched.push(asked)
    throw new Error('nothing may be fetched')
  })
  try {
    const port = authenticators()
    const asked = { credential: androidKey, challenge: 'AAAA', ...expected }
    assert.equal(await port.verifyRegistration(asked), null)
    assert.deepEqual(fetched, [])
  } finally {
    fetching.mock.restore()
  }
})

test('a statement whose certificates are no list of them is refused, and nothing is thrown', async () => {
  const root = await certify('Root', { ca: true })
  const port = authenticators({ attestationRoots: { [model]: [pemOf(root)] } })
  const challenge = createHash('sha256').update('a challenge').digest('base64url')
  const clientDataJSON = Buffer.from(
    JSON.stringify({
      type: 'webauthn.create',
      challenge,
      origin: place.origin,
      crossOrigin: false,
    }),
  ).toString('base64url')
  const hostile = [0, 1, '', 'x', [], [0], [''], [new Uint8Array()], new Uint8Array(3)]
  for (const x5c of hostile) {
    const key = createSoftwareAuthenticator({ algorithm: 'ES256', ...place })
    // By the key itself, which is all that the library looks at where it takes there to be no certificates.
    const attest = (signed: Uint8Array): PackedStatement => {
      const data = Buffer.from(signed.subarray(0, -32)).toString('base64url')
      const sig = Buffer.from(key.signClient(data, clientDataJSON), 'base64url')
      return { alg: -7, sig, x5c }
    }
    const { id, response } = key.register({ challenge, aaguid: model, attest })
    const found = await port.verifyRegistration({
      credential: { id, response },
      ...{ challenge, ...expected },
    })
    assert.equal(found, null, JSON.stringify(x5c))
  }
})
