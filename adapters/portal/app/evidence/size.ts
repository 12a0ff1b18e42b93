const units = ['bytes', 'KiB', 'MiB', 'GiB'] as const

/** A size in the unit that suits it. */
export function sizeOf(bytes: number): string {
  const power = Math.min(units.length - 1, Math.floor(Math.log2(Math.max(1, bytes)) / 10))
  const size = bytes / 1024 ** power
  return `${power === 0 ? size : size.toFixed(1)} ${units[power]}`
}
