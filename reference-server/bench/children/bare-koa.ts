import { join } from 'node:path'
import { bareKoa } from '../bare-koa.ts'
import { serveParent } from '../child.ts'
import { listening } from '../listening.ts'

await serveParent<{ readonly directory: string }>(async ({ directory }) => ({
  ready: await listening(bareKoa(join(directory, 'bare.db'))),
}))
