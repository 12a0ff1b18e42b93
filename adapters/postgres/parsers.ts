import type pg from 'pg'

// Type numbers of PostgreSQL: bigint, integer and bytea; everything else is read as text.
const getTypeParser = (oid: number) => {
  if (oid === 20 || oid === 23) return Number
  if (oid === 17) return bytesOf
  return (text: string) => text
}

function bytesOf(text: string): Uint8Array {
  const buffer = Buffer.from(text.slice(2), 'hex')
  return new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.byteLength)
}

/** Integers as numbers, bytes as plain arrays. */
export const parsers = { getTypeParser } as pg.CustomTypesConfig
