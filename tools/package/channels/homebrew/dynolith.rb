# `brew install ./dynolith.rb`, or as Formula/dynolith.rb of a tap.
class Dynolith < Formula
  desc "Amazon DynamoDB's semantics: a server, a library and a lab for capacity"
  homepage "@REPOSITORY@"
  version "@VERSION@"
  license "Apache-2.0"
  depends_on :linux

@BEGIN x86_64@
  on_intel do
    url "@REPOSITORY@/releases/download/v@VERSION@/dynolith-@VERSION@-linux-x86_64.tar.gz"
    sha256 "@SHA256 x86_64@"
  end
@END@
@BEGIN aarch64@
  on_arm do
    url "@REPOSITORY@/releases/download/v@VERSION@/dynolith-@VERSION@-linux-aarch64.tar.gz"
    sha256 "@SHA256 aarch64@"
  end
@END@

  def install
    bin.install "dynolith"
    man1.install Dir["manuals/*.1.gz"]
    bash_completion.install "completions/bash" => "dynolith"
    zsh_completion.install "completions/zsh" => "_dynolith"
    fish_completion.install "completions/fish" => "dynolith.fish"
  end

  service do
    run [opt_bin/"dynolith", "serve", "--data", var/"dynolith/main"]
    keep_alive true
    log_path var/"log/dynolith.log"
    error_log_path var/"log/dynolith.log"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/dynolith --version")
  end
end
