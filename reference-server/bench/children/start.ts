import { composeServer } from '../../compose.ts'
import { readConfig } from '../../config.ts'
import { serveParent } from '../child.ts'

await serveParent<Readonly<Record<string, string>>>(async (environment) => {
  const server = await composeServer(readConfig(environment))
  await server.start()
  return { ready: null }
})
