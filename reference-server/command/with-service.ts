import type { Service } from '@countersign/core'
import { composeServer } from '../compose.ts'
import { type Config, readConfig } from '../config.ts'
import type { Surroundings } from './subcommand.ts'

/** Standard output is the result's alone. */
export const standardError = 2

/** Acts by the service of the server, with its settings; the server may run beside it. */
export async function withService<T>(
  { environment }: Surroundings,
  use: (service: Service, config: Config) => Promise<T>,
): Promise<T> {
  const config = readConfig({ COUNTERSIGN_LOG_LEVEL: 'error', ...environment })
  const server = await composeServer(config, undefined, standardError)
  try {
    return await use(server.service, config)
  } finally {
    await server.stop()
  }
}
