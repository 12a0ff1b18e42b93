import { longestTimeStamp, readTimeStamp } from '@countersign/core/evidence'
import type { ExchangeResult, Random, TimeStampAuthority, Transport } from '@countersign/core/ports'

/** Options of `timeStampAuthority`. */
export interface TimeStampAuthorityOptions {
  /** Where it takes requests, https: it is reached as endpoints of deliveries are, under the same rules of egress. */
  readonly url: string
  readonly transport: Transport
  readonly random: Random
}

/** Ms for one request. */
const deadlineMs = 10_000
/** `TimeStampReq` (RFC 3161 2.4.1), version 1, up to the SHA-256 that is stamped. */
const beforeDigest = Buffer.from('30430201013031300d060960864801650304020105000420', 'hex')
/** A nonce of 8 bytes follows, and that the certificate is asked for. */
const beforeNonce = Buffer.from('0208', 'hex')
const withCertificate = Buffer.from('0101ff', 'hex')

/** An authority that is asked over http as RFC 3161 3.4 has it. Its signature is not checked here. */
export function timeStampAuthority(options: TimeStampAuthorityOptions): TimeStampAuthority {
  const { url, transport, random } = options
  return {
    async stamp(digest) {
      if (digest.length !== 32) throw new TypeError(`expected 32 bytes, got ${digest.length}`)
      const nonce = nonceOf(random.bytes(8))
      const answered = await transport.post({
        url,
        headers: {
          'content-type': 'application/timestamp-query',
          accept: 'application/timestamp-reply',
        },
        body: Buffer.concat([beforeDigest, digest, beforeNonce, nonce, withCertificate]),
        deadlineMs,
        keepBytes: longestTimeStamp,
      })
      const answer = bodyOf(answered)
      const stamp = readTimeStamp(answer)
      const [sent, stamped] = [hexOf(nonce), hexOf(digest)]
      if (stamp?.digest !== stamped || stamp.nonce !== sent)
        throw new Error(
          `the time-stamping authority answered ${stamp ? `a stamp of ${stamp.digest} for the nonce ${stamp.nonce}` : `${answer.length} bytes that grant no stamp`}: expected one of ${stamped} for the nonce ${sent}`,
        )
      return answer
    },
  }
}

function bodyOf(answered: ExchangeResult): Uint8Array {
  if (answered.kind === 'error')
    throw new Error(`the time-stamping authority was not reached: ${answered.detail}`)
  const { status, truncated, body } = answered
  if (status !== 200 || truncated)
    throw new Error(
      `the time-stamping authority answered status ${status} with ${truncated ? 'over ' : ''}${body.length} bytes: expected 200 with at most ${longestTimeStamp}`,
    )
  return body
}

/** The shortest form of a positive INTEGER of 8 bytes. */
function nonceOf(bytes: Uint8Array): Uint8Array {
  const [first = 0, ...rest] = bytes
  return Uint8Array.of((first & 0x7f) | 0x40, ...rest)
}

function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex')
}
