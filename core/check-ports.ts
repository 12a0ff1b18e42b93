/** The ports that a service can't be without. */
const needed = {
  store: true,
  clock: true,
  random: true,
  primitives: true,
  transport: true,
  egress: true,
  sealer: true,
  cipher: true,
  blobs: true,
  passwords: true,
  tokens: true,
} as const

/** Throws a TypeError that names the ports which are missing. */
export function checkPorts(ports: unknown): void {
  const given: object = typeof ports === 'object' && ports !== null ? ports : {}
  const missing = Object.keys(needed).filter((name) => Reflect.get(given, name) == null)
  if (missing.length === 0) return
  throw new TypeError(
    `expected ports as nodePorts of @countersign/node makes them, got none for ${missing.join(', ')}`,
  )
}
