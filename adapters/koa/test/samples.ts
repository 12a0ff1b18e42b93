import { readFileSync } from 'node:fs'
import type { Samples } from '../description/samples.ts'

export { type OperationSample, sampleKeyOf } from '../description/samples.ts'

const file = new URL('../../description/samples.json', import.meta.url)

export const samples: Samples = JSON.parse(readFileSync(file, 'utf8'))
