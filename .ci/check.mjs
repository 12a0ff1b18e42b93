// placeholder until the walls land
import { spawnSync } from 'node:child_process'

process.exit(spawnSync('npx', ['tsc', '-b'], { stdio: 'inherit' }).status ?? 1)
