/** A value that an authenticator writes; maps are lists of pairs. */
export type Cbor =
  | number
  | string
  | Uint8Array
  | { readonly items: readonly Cbor[] }
  | readonly (readonly [number | string, Cbor])[]

/** CBOR of what attestations and COSE keys consist of (RFC 8949, lengths as short as they can be). */
export function cborOf(value: Cbor): Uint8Array {
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value)
  if (typeof value === 'string') {
    const bytes = new TextEncoder().encode(value)
    return Buffer.concat([head(3, bytes.length), bytes])
  }
  if (value instanceof Uint8Array) return Buffer.concat([head(2, value.length), value])
  if ('items' in value)
    return Buffer.concat([head(4, value.items.length), ...value.items.map(cborOf)])
  const pairs = value.flatMap(([name, member]) => [cborOf(name), cborOf(member)])
  return Buffer.concat([head(5, value.length), ...pairs])
}

function head(major: number, count: number): Uint8Array {
  if (count < 24) return Uint8Array.of((major << 5) | count)
  if (count < 0x100) return Uint8Array.of((major << 5) | 24, count)
  return Uint8Array.of((major << 5) | 25, count >> 8, count & 0xff)
}
