import { readFileSync } from 'node:fs'
import type { DescriptionSources } from './documents.ts'

const root = new URL('../../../../', import.meta.url)
const read = (path: string) => readFileSync(new URL(path, root), 'utf8')

/** What the descriptions are made of, from the repository that this module was built in. */
export function readSources(): DescriptionSources {
  return {
    samples: JSON.parse(read('adapters/koa/description/samples.json')),
    words: JSON.parse(read('adapters/koa/description/words.json')),
    wire: read('core/docs/interface.md'),
    version: JSON.parse(read('adapters/koa/package.json')).version,
  }
}
