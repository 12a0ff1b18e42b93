import { type BodyEncoding, plainBytes } from '@countersign/core/store-kit'
import { Packr } from 'msgpackr'

// Plain MessagePack, which any tool reads; a member that is undefined is left out, as JSON leaves it out.
const settings = { useRecords: false, skipValues: [undefined] }
const packr = new Packr(settings)

/** Bodies of rows as MessagePack. */
export const bodyEncoding = {
  pack(body: ReadonlyMap<string, unknown> | Readonly<Record<string, unknown>>): Uint8Array {
    return packr.pack(body)
  },
  unpack(body: Uint8Array): Readonly<Record<string, unknown>> {
    // From plain bytes, bytes within come out plain too.
    return packr.unpack(plainBytes(body))
  },
} satisfies BodyEncoding
