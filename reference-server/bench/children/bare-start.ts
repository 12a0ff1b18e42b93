import { join } from 'node:path'
import { bareKoa } from '../bare-koa.ts'
import { listening } from '../listening.ts'

await listening(bareKoa(join(process.argv[2] ?? '', 'bare.db')))
process.send?.('ready')
