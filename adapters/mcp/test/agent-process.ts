import { fileDisk, runAgentProcess } from '@countersign/reference-server/reviewed'
import { advice, adviceName, entries } from './entries.ts'

await runAgentProcess(async (name) => (name === adviceName ? advice : entries[name]), fileDisk)
