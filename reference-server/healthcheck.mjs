// Whether the server that runs under the same settings lives: ends with 0, or with 1 and the reason.
const { COUNTERSIGN_STAFF_HOST: host = '127.0.0.1', COUNTERSIGN_STAFF_PORT: port = '8445' } =
  process.env
const name = host.includes(':') ? `[${host}]` : host

try {
  const { ok, status } = await fetch(`http://${name}:${port}/livez`, {
    signal: AbortSignal.timeout(5_000),
  })
  if (!ok) throw new Error(`answered ${status}`)
} catch (error) {
  console.error(`http://${name}:${port}/livez: ${error.cause?.message ?? error.message}`)
  process.exitCode = 1
}
