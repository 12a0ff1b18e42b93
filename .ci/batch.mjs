// Loaded before each test file: loads the others of its batch, whose tests then run in this process, before its own.
import { join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import { isMainThread } from 'node:worker_threads'
import { home } from './packages.mjs'

if (isMainThread && process.env.NODE_TEST_CONTEXT && process.argv[1]) {
  const own = relative(home, process.argv[1])
  const [, ...others] =
    JSON.parse(process.env.TEST_BATCHES ?? '[]').find(([first]) => first === own) ?? []
  for (const file of others) await import(pathToFileURL(join(home, file)))
}
