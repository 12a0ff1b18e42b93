import type { Route } from '../operation.ts'

type Place = Pick<Route, 'host' | 'path'>

/**
 * The path of a row as OpenAPI writes it. Paths that differ by the names of their parameters alone are one path there
 * (OpenAPI 3.1, Paths Object); it has the names of the first row.
 */
export function templateOf(row: Place, rows: readonly Place[]): string {
  const shape = shapeOf(row)
  const first = rows.find((each) => shapeOf(each) === shape) ?? row
  return first.path.replace(/:(\w+)/g, '{$1}')
}

function shapeOf({ host, path }: Place): string {
  return `${host} ${path.replace(/:\w+/g, ':')}`
}
