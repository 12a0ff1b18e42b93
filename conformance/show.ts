/** Readable in one line: bytes as hex (the first 64 and their count), undefined by name. */
export function show(value: unknown): string {
  return (
    JSON.stringify(value, (_, member: unknown) => {
      if (member instanceof Uint8Array) return hex(member)
      if (member === undefined) return 'undefined'
      if (typeof member === 'bigint') return `${member}n`
      return member instanceof Map ? [...member] : member
    }) ?? 'undefined'
  )
}

function hex(bytes: Uint8Array): string {
  const digits = Array.from(bytes.subarray(0, 64), (byte) => byte.toString(16).padStart(2, '0'))
  return `0x${digits.join('')}${bytes.length > 64 ? `… (${bytes.length} bytes)` : ''}`
}
