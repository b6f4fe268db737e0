//! Asks pkg-config where libdynolith is installed, for programs that run where the system's linker does not look. Without
//! pkg-config, or without an installed library, there is nothing to remember, and nothing fails.

use std::process::Command;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-env-changed=PKG_CONFIG_PATH");
    let asked = Command::new("pkg-config").args(["--variable=libdir", "dynolith-c"]).output();
    if let Ok(answer) = asked {
        let folder = String::from_utf8_lossy(&answer.stdout).trim().to_string();
        if answer.status.success() && !folder.is_empty() {
            println!("cargo:rustc-env=DYNOLITH_INSTALLED={folder}");
        }
    }
}
