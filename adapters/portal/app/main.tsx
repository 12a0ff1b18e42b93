import { render } from 'preact'
import { App } from './app.tsx'
import { keepPreferences } from './preferences.ts'

keepPreferences()
const root = document.getElementById('app')
if (root) render(<App />, root)
