import type { Progress, Start } from '../receiver/index.ts'
import { mark } from '../receiver/text-report.ts'
import type { Surroundings } from './command.ts'

const clear = '\r\u001B[K'

/** A line that is rewritten on a terminal, a line for each property elsewhere. */
export function createProgress({ err, terminal }: Surroundings, quiet: boolean) {
  return {
    start({ of, lacking }: Start): void {
      if (quiet || lacking.length === 0) return
      const lost = new Set(lacking.flatMap(({ properties }) => properties))
      err(`${lost.size} of ${of} properties can't be judged with what was given:\n`)
      for (const { how, properties } of lacking)
        err(`  ${properties.length} ${properties.length === 1 ? 'needs' : 'need'} ${how}\n`)
    },
    step({ done, of, property }: Progress): void {
      if (quiet) return
      const { name, histories, seconds } = property
      const line = `[${done}/${of}] ${mark(property)} ${name}, ${histories} histories in ${seconds.toFixed(1)} s`
      err(terminal ? `${clear}${line}` : `${line}\n`)
    },
    end(): void {
      if (!quiet && terminal) err(clear)
    },
  }
}
